//! Shapes of nodes: those of one shape are the same to every job.

use std::collections::BTreeMap;

use crate::model::{Constraint, Feature, Node, Tres};

/// What does not change while jobs come and go.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shape {
    /// Slurm's weight: lowest first.
    pub(super) weight: u32,
    pub(super) total: Tres,
    /// Sorted.
    pub(super) features: Vec<Feature>,
}

impl Shape {
    fn of(node: &Node) -> Self {
        Self {
            weight: node.weight,
            total: node.total.clone(),
            features: node.features.clone(),
        }
    }

    /// Whether its features satisfy a constraint, as far as anybody but Slurm can tell.
    pub(super) fn satisfies(&self, constraint: &Constraint) -> bool {
        match constraint {
            Constraint::Any | Constraint::Slurm(_) => true,
            Constraint::OneOf(alternatives) => alternatives
                .iter()
                .any(|all| all.iter().all(|feature| self.features.contains(feature))),
        }
    }
}

/// A shape's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ShapeId(usize);

/// Every shape seen so far. Sites have few, and they come back: none is ever dropped.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    ids: BTreeMap<Shape, ShapeId>,
    all: Vec<Shape>,
}

impl Shapes {
    pub(super) fn id(&mut self, node: &Node) -> ShapeId {
        let shape = Shape::of(node);
        if let Some(id) = self.ids.get(&shape) {
            return *id;
        }
        let id = ShapeId(self.all.len());
        self.all.push(shape.clone());
        self.ids.insert(shape, id);
        id
    }

    pub(super) fn get(&self, id: ShapeId) -> &Shape {
        &self.all[id.0]
    }
}
