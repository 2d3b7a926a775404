//! Forms with files, as browsers send them (RFC 7578). The whole body is at hand and small.

use bytes::Bytes;

use super::{Form, Upload};

/// The most fields and files of one form.
const MAX_PARTS: usize = 200;

/// The boundary that a content type names, when it is that of a form with files.
pub(super) fn boundary(kind: &str) -> Option<String> {
    let (kind, rest) = kind.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    let value = parameter(rest, "boundary")?;
    (!value.is_empty() && value.len() <= 70).then_some(value)
}

/// The fields and files of a body; none when it is not what it says.
pub(super) fn parse(body: &Bytes, boundary: &str) -> Option<Form> {
    let mark = format!("--{boundary}");
    let mut form = Form::default();
    let mut at = find(body, mark.as_bytes(), 0)? + mark.len();
    for _ in 0..=MAX_PARTS {
        match body.get(at..)? {
            rest if rest.starts_with(b"--") => return Some(form),
            rest if rest.starts_with(b"\r\n") => at += 2,
            _ => return None,
        }
        let head = find(body, b"\r\n\r\n", at)?;
        let end = find(body, format!("\r\n{mark}").as_bytes(), head + 2)?;
        let headers = std::str::from_utf8(body.get(at..head)?).ok()?;
        let content = body.slice((head + 4).min(end)..end);
        add(&mut form, headers, content)?;
        at = end + 2 + mark.len();
    }
    None
}

fn add(form: &mut Form, headers: &str, content: Bytes) -> Option<()> {
    let disposition = headers.split("\r\n").find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim()
            .eq_ignore_ascii_case("content-disposition")
            .then_some(value)
    })?;
    let field = parameter(disposition, "name")?;
    if let Some(name) = parameter(disposition, "filename") {
        form.files.push(Upload {
            field,
            name,
            content,
        });
    } else {
        let text = String::from_utf8(content.to_vec()).ok()?;
        form.fields.push((field, text));
    }
    Some(())
}

/// A parameter of a header, in quotes or not. Browsers write a quote in a name as `%22`.
fn parameter(header: &str, name: &str) -> Option<String> {
    header.split(';').find_map(|part| {
        let (own, value) = part.split_once('=')?;
        let is_own = own.trim().eq_ignore_ascii_case(name);
        is_own.then(|| value.trim().trim_matches('"').replace("%22", "\""))
    })
}

fn find(body: &[u8], what: &[u8], from: usize) -> Option<usize> {
    let rest = body.get(from..)?;
    rest.windows(what.len())
        .position(|window| window == what)
        .map(|at| at + from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(body: &str) -> Option<Form> {
        parse(&Bytes::from(body.to_owned()), "xx")
    }

    #[test]
    fn fields_and_files_are_told_apart() {
        let body = "--xx\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\ntwo\r\n--xx\r\n\
                    Content-Disposition: form-data; name=\"f\"; filename=\"r.yaml\"\r\nContent-Type: text/yaml\r\n\r\n\
                    - x: --xy\r\n--xx--\r\n";

        let form = parsed(body).unwrap();

        assert_eq!(form.text("a"), "one\ntwo");
        let file = form.file("f").unwrap();
        assert_eq!(
            (file.name.as_str(), &*file.content),
            ("r.yaml", &b"- x: --xy"[..])
        );
    }

    #[test]
    fn a_field_may_be_empty_and_no_file_chosen() {
        let body = "--xx\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n--xx\r\n\
                    Content-Disposition: form-data; name=\"f\"; filename=\"\"\r\n\r\n\r\n--xx--";

        let form = parsed(body).unwrap();

        assert!(form.has("a") && form.get("a").is_empty());
        assert_eq!(form.file("f"), None);
    }

    #[test]
    fn what_is_no_form_is_none() {
        for body in [
            "",
            "--xx",
            "--xx\r\n",
            "--xx\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx",
            "--xx\r\nno header\r\n\r\nx\r\n--xx--",
            "--xxContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--xx--",
        ] {
            assert!(parsed(body).is_none(), "{body:?}");
        }
        let many = "--xx\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n".repeat(300);
        assert!(parsed(&format!("{many}--xx--")).is_none());
    }

    #[test]
    fn a_boundary_is_that_of_a_form() {
        assert_eq!(
            boundary("multipart/form-data; boundary=----abc").as_deref(),
            Some("----abc")
        );
        assert_eq!(boundary("multipart/mixed; boundary=abc"), None);
        assert_eq!(boundary("application/x-www-form-urlencoded"), None);
    }
}
