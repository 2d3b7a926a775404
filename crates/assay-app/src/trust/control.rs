//! What operators write to the control log, from the server or beside it.
