//! Zero bytes never decode as anything: they are space that was never written or was released.

use ledger_format::RecordView;
use ledger_format::batch::BatchView;

use crate::decoders;

#[test]
fn zeros_of_any_length_decode_as_nothing() {
    let zeros = vec![0; 70_000];
    let lengths = (1..=600).chain([1024, 4095, 4096, 4097, 8192, 65_535, 65_536, 70_000]);
    for length in lengths {
        for decoder in decoders::all() {
            assert!(!decoder.total(&zeros[..length]), "{length} zeros are a {}", decoder.name);
        }
        assert!(RecordView::decode(&zeros[..length]).is_err());
        assert!(BatchView::decode(&zeros[..length]).is_err());
    }
}

#[test]
fn nothing_at_all_is_only_an_empty_extension_list() {
    for decoder in decoders::all() {
        assert_eq!(decoder.total(&[]), decoder.name == "extension list", "{}", decoder.name);
    }
}
