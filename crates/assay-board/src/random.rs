/// Random numbers that are the same on every machine and in every version: `SplitMix64` of Steele,
/// Lea and Flood (2014). An interval that depends on chance must not depend on the day it was
/// computed.
///
/// ```
/// # use assay_board::SplitMix64;
/// let mut random = SplitMix64::new(1_234_567);
///
/// assert_eq!(random.next_u64(), 6_457_827_717_110_365_317);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number of all that 64 bits can hold.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, and without, a bound. A bound of 0 gives 0.
    pub fn below(&mut self, bound: usize) -> usize {
        // The high half of the product; no bound that fits into memory makes its bias visible.
        let product = u128::from(self.next_u64()) * bound as u128;
        usize::try_from(product >> 64).unwrap_or_default()
    }

    /// A number from 0 up to, and without, 1.
    #[expect(
        clippy::cast_precision_loss,
        reason = "53 bits are as many as a float holds"
    )]
    pub fn unit(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.next_u64() >> 11) as f64 * STEP
    }
}
