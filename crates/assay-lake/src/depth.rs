//! How deep a question is nested. The engine follows questions and plans by calling itself, and a
//! stack that overflows takes the whole process along.

use datafusion::common::Result;
use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};

/// Returns whether a question has more operators and keywords than this. Each may be a level of
/// what is made of it, and planning takes time with the square of their number. Long lists of
/// values are no levels. What cannot be read is for the parser to refuse.
pub(crate) fn has_more_operators(sql: &str, limit: usize) -> bool {
    let tokens = Tokenizer::new(&GenericDialect {}, sql).tokenize();
    tokens.is_ok_and(|tokens| tokens.iter().filter(|token| is_operator(token)).count() > limit)
}

fn is_operator(token: &Token) -> bool {
    match token {
        Token::Word(word) => word.keyword != Keyword::NoKeyword,
        Token::Whitespace(_)
        | Token::Comma
        | Token::Period
        | Token::SemiColon
        | Token::Number(..)
        | Token::SingleQuotedString(_)
        | Token::LParen
        | Token::RParen
        | Token::EOF => false,
        _ => true,
    }
}

/// Returns whether a plan, or an expression in it, is nested deeper than so many levels. This does
/// not call itself.
pub(crate) fn is_deeper(plan: &LogicalPlan, limit: usize) -> Result<bool> {
    let mut plans = vec![(plan.clone(), 1)];
    while let Some((plan, depth)) = plans.pop() {
        if depth > limit {
            return Ok(true);
        }
        let expressions = plan.expressions();
        let mut pending: Vec<(&Expr, usize)> = expressions.iter().map(|own| (own, 1)).collect();
        while let Some((expression, level)) = pending.pop() {
            if level > limit {
                return Ok(true);
            }
            if let Some(subquery) = subquery_of(expression) {
                plans.push((subquery.clone(), depth + 1));
            }
            expression.apply_children(|child| {
                pending.push((child, level + 1));
                Ok(TreeNodeRecursion::Continue)
            })?;
        }
        let inputs = plan.inputs().into_iter().cloned();
        plans.extend(inputs.map(|input| (input, depth + 1)));
    }
    Ok(false)
}

fn subquery_of(expression: &Expr) -> Option<&LogicalPlan> {
    match expression {
        Expr::ScalarSubquery(subquery) => Some(&subquery.subquery),
        Expr::Exists(exists) => Some(&exists.subquery.subquery),
        Expr::InSubquery(within) => Some(&within.subquery.subquery),
        _ => None,
    }
}
