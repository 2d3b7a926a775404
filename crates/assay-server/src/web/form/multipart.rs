//! Forms with files, as browsers send them (RFC 7578), read by `multer`.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::stream;
use multer::{Field, Multipart};

use super::{Form, Upload};

/// The most fields and files of one form.
const MAX_PARTS: usize = 200;
/// The longest boundary, in bytes (RFC 2046, 5.1.1).
const MAX_BOUNDARY: usize = 70;

/// Reads the fields and files of a body. Returns `None` when it is not a form of this content type,
/// or has too many parts.
pub(super) async fn parse(content_type: &str, body: Bytes) -> Option<Form> {
    let boundary = multer::parse_boundary(content_type).ok()?;
    if boundary.is_empty() || boundary.len() > MAX_BOUNDARY {
        return None;
    }
    let body = stream::iter([Ok::<_, Infallible>(body)]);
    let mut parts = Multipart::new(body, boundary);
    let mut form = Form::default();
    for _ in 0..=MAX_PARTS {
        match parts.next_field().await.ok()? {
            Some(part) => add(&mut form, part).await?,
            None => return Some(form),
        }
    }
    None
}

async fn add(form: &mut Form, part: Field<'_>) -> Option<()> {
    let field = unescape(part.name()?);
    let file = part.file_name().map(unescape);
    let content = part.bytes().await.ok()?;
    if let Some(name) = file {
        form.files.push(Upload {
            field,
            name,
            content,
        });
    } else {
        let text = String::from_utf8(content.into()).ok()?;
        form.fields.push((field, text));
    }
    Some(())
}

/// Browsers write a quote in a name as `%22`.
fn unescape(name: &str) -> String {
    name.replace("%22", "\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn parsed(body: &str) -> Option<Form> {
        let body = Bytes::from(body.to_owned());
        parse("multipart/form-data; boundary=xx", body).await
    }

    #[tokio::test]
    async fn fields_and_files_are_told_apart() {
        let body = "--xx\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\ntwo\r\n--xx\r\n\
                    Content-Disposition: form-data; name=\"f\"; filename=\"r.yaml\"\r\nContent-Type: text/yaml\r\n\r\n\
                    - x: --xy\r\n--xx--\r\n";

        let form = parsed(body).await.unwrap();

        assert_eq!(form.text("a"), "one\ntwo");
        let file = form.file("f").unwrap();
        assert_eq!(
            (file.name.as_str(), &*file.content),
            ("r.yaml", &b"- x: --xy"[..])
        );
    }

    #[tokio::test]
    async fn a_field_may_be_empty_and_no_file_chosen() {
        let body = "--xx\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n--xx\r\n\
                    Content-Disposition: form-data; name=\"f\"; filename=\"\"\r\n\r\n\r\n--xx--";

        let form = parsed(body).await.unwrap();

        assert!(form.has("a") && form.get("a").is_empty());
        assert_eq!(form.file("f"), None);
    }

    #[tokio::test]
    async fn what_is_no_form_is_none() {
        for body in [
            "",
            "--xx",
            "--xx\r\n",
            "--xx\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx",
            "--xx\r\nno header\r\n\r\nx\r\n--xx--",
            "--xxContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--xx--",
        ] {
            assert!(parsed(body).await.is_none(), "{body:?}");
        }
        let many = "--xx\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n".repeat(300);
        assert!(parsed(&format!("{many}--xx--")).await.is_none());
    }

    #[tokio::test]
    async fn a_form_has_the_boundary_of_its_content_type() {
        let long = "x".repeat(71);
        let cases = [
            ("multipart/form-data; boundary=----abc", "----abc", true),
            ("multipart/form-data; boundary=\"a b\"", "a b", true),
            (
                "Multipart/Form-Data; charset=utf-8; boundary=abc",
                "abc",
                true,
            ),
            ("multipart/form-data; boundary=abd", "abc", false),
            ("multipart/form-data; boundary=", "", false),
            ("multipart/form-data", "", false),
            ("multipart/mixed; boundary=abc", "abc", false),
            (
                &format!("multipart/form-data; boundary={long}"),
                &long,
                false,
            ),
        ];
        for (kind, boundary, is_form) in cases {
            let body = format!(
                "--{boundary}\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--{boundary}--"
            );

            let form = parse(kind, body.into()).await;

            assert_eq!(form.is_some(), is_form, "{kind}");
        }
    }

    #[tokio::test]
    async fn a_name_may_have_any_character() {
        let body = "--xx\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a;b %22c%22.yaml\"\r\n\r\nx\r\n--xx--";

        let form = parsed(body).await.unwrap();

        assert_eq!(form.file("f").unwrap().name, "a;b \"c\".yaml");
    }
}
