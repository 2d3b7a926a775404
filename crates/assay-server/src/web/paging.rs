use super::query::State;

/// The position of a page in a longer list, with links to the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Paging {
    /// The number of this page, from 1.
    pub(crate) page: usize,
    /// The number of pages.
    pub(crate) pages: usize,
    /// The first item shown, from 1; 0 when there is none.
    pub(crate) first: usize,
    /// The last item shown.
    pub(crate) last: usize,
    /// The number of items.
    pub(crate) total: usize,
    path: String,
    state: State,
}

impl Paging {
    /// The page that the query asks for with `page`, of so many items. One that does not exist is
    /// the nearest.
    pub(crate) fn new(path: &str, state: &State, total: usize, size: usize) -> Self {
        let size = size.max(1);
        let pages = total.div_ceil(size).max(1);
        let page = Self::asked(state).min(pages);
        let start = (page - 1) * size;
        Self {
            page,
            pages,
            first: if total == 0 { 0 } else { start + 1 },
            last: (start + size).min(total),
            total,
            path: path.to_owned(),
            state: state.without("page"),
        }
    }

    /// Returns the number of the page that the query asks for, from 1, whether there is such a page
    /// or not.
    pub(crate) fn asked(state: &State) -> usize {
        let asked = state.get("page").and_then(|text| text.parse().ok());
        asked.unwrap_or(1).max(1)
    }

    /// Returns the number of items that come before this page.
    pub(crate) fn offset(&self) -> usize {
        self.first.saturating_sub(1)
    }

    /// Returns whether there is more than one page.
    pub(crate) fn is_needed(&self) -> bool {
        self.pages > 1
    }

    /// The address of a page.
    pub(crate) fn to(&self, page: usize) -> String {
        match page {
            0 | 1 => self.state.on(&self.path),
            _ => self.state.with("page", page.to_string()).on(&self.path),
        }
    }

    /// The page before this one.
    pub(crate) fn before(&self) -> Option<String> {
        (self.page > 1).then(|| self.to(self.page - 1))
    }

    /// The page after this one.
    pub(crate) fn after(&self) -> Option<String> {
        (self.page < self.pages).then(|| self.to(self.page + 1))
    }

    /// The pages worth a link: the first, the last and those round this one.
    pub(crate) fn numbers(&self) -> Vec<Number> {
        let mut numbers = Vec::new();
        let mut last = 0;
        for page in 1..=self.pages {
            let is_near = page.abs_diff(self.page) <= 2;
            if page != 1 && page != self.pages && !is_near {
                continue;
            }
            numbers.push(Number {
                page,
                gap: page > last + 1,
                current: page == self.page,
                to: self.to(page),
            });
            last = page;
        }
        numbers
    }
}

/// A link to a page by its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Number {
    /// The number.
    pub(crate) page: usize,
    /// True if pages are left out before it.
    pub(crate) gap: bool,
    /// True if it is this page.
    pub(crate) current: bool,
    /// Its address.
    pub(crate) to: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paging(query: &str, total: usize) -> Paging {
        Paging::new("/p", &State::of(Some(query)), total, 100)
    }

    #[test]
    fn a_page_knows_its_items_and_its_neighbours() {
        let second = paging("sort=date&page=2", 250);

        assert_eq!((second.first, second.last, second.pages), (101, 200, 3));
        assert_eq!(second.before().as_deref(), Some("/p?sort=date"));
        assert_eq!(second.after().as_deref(), Some("/p?sort=date&page=3"));
    }

    #[test]
    fn a_page_that_does_not_exist_is_the_nearest() {
        assert_eq!(paging("page=99", 250).page, 3);
        assert_eq!(paging("page=0", 250).page, 1);
        assert_eq!(paging("page=x", 250).page, 1);
        let none = paging("", 0);
        assert_eq!((none.first, none.last, none.pages), (0, 0, 1));
    }

    #[test]
    fn of_many_pages_only_some_have_a_link() {
        let numbers = paging("page=25", 5000).numbers();

        let pages: Vec<usize> = numbers.iter().map(|number| number.page).collect();
        assert_eq!(pages, [1, 23, 24, 25, 26, 27, 50]);
        let gaps: Vec<bool> = numbers.iter().map(|number| number.gap).collect();
        assert_eq!(gaps, [false, true, false, false, false, false, true]);
    }
}
