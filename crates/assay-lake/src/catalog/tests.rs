use super::*;

fn told(path: &str) -> String {
    format!(
        r#"{{"table": "instances", "directory": "/srv/lake", "files": [{{"table": "instances", "path": "{path}",
        "bounds": {{"benchmark": ["arith", "arith"], "model": ["acme/large", "acme/small"]}}, "rows": 8, "bytes": 100}}]}}"#
    )
}

#[test]
fn a_table_arrives_as_it_was_sent() {
    let table = LakeTable::decode(told("tables/instances/a/b.parquet").as_bytes()).unwrap();

    let again = LakeTable::decode(&table.encode().unwrap()).unwrap();

    assert_eq!(again.files, table.files);
    assert_eq!(
        again.files[0].1.as_ref(),
        "srv/lake/tables/instances/a/b.parquet"
    );
    assert_eq!(again.schema, Table::Instances.schema());
}

#[test]
fn a_table_of_a_stranger_cannot_point_outside_the_lake() {
    for path in [
        "../secret",
        "tables/../../etc/passwd",
        "/etc/passwd",
        "tables//x",
    ] {
        let refused = LakeTable::decode(told(path).as_bytes());

        assert!(refused.is_err(), "{path}");
    }
    for noise in [
        "",
        "{}",
        "[]",
        "\u{0}",
        r#"{"table": "x", "directory": "/", "files": []}"#,
    ] {
        assert!(LakeTable::decode(noise.as_bytes()).is_err(), "{noise}");
    }
}
