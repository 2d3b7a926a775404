//! How deep a plan is nested. The engine follows plans by calling itself, and a stack that overflows takes the whole process along.

use datafusion::common::Result;
use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, LogicalPlan};

/// Whether a plan, or an expression in it, is nested deeper than so many levels. This does not call itself.
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
