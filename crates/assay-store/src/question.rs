/// Makes each question a method of both [`Store`](crate::Store), where a reader answers it, and
/// [`Tx`](crate::Tx), where it sees what the transaction has changed. The SQL is in the private
/// function of the same name below.
macro_rules! questions {
    ($($(#[$docs:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $answer:ty;)*) => {
        impl crate::Store {
            $(
                $(#[$docs])*
                pub async fn $name(&self, $($argument: $type),*) -> Result<$answer, crate::Error> {
                    let mut reader = self.reader(stringify!($name)).await?;
                    $name(&mut reader, $($argument),*)
                        .await
                        .map_err(|error| crate::Error::of(stringify!($name), error))
                }
            )*
        }

        impl crate::Tx {
            $(
                $(#[$docs])*
                pub async fn $name(&mut self, $($argument: $type),*) -> Result<$answer, crate::Error> {
                    $name(self.connection(), $($argument),*)
                        .await
                        .map_err(|error| crate::Error::of(stringify!($name), error))
                }
            )*
        }
    };
}
