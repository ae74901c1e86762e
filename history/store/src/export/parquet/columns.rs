//! Columns of a table: their types in Parquet, and the values that wait for the next row group.

use parquet::{
    basic::{LogicalType, Repetition, Type as PhysicalType},
    data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type},
    errors::ParquetError,
    file::writer::SerializedColumnWriter,
    schema::types::Type,
};
use std::sync::Arc;

/// Where a column's values come from.
pub(super) enum Get<R> {
    Text(fn(&R) -> Option<&str>),
    Float(fn(&R) -> Option<f64>),
    Integer(fn(&R) -> Option<i64>),
    Flag(fn(&R) -> Option<bool>),
}

/// One column of the rows `R`.
pub(super) struct Column<R> {
    pub(super) name: &'static str,
    pub(super) get: Get<R>,
    /// Whether rows may have no value.
    pub(super) nullable: bool,
}

impl<R> Column<R> {
    pub(super) const fn new(name: &'static str, get: Get<R>) -> Self {
        Self { name, get, nullable: false }
    }

    pub(super) const fn nullable(name: &'static str, get: Get<R>) -> Self {
        Self { name, get, nullable: true }
    }

    /// Its type in the file.
    pub(super) fn field(&self) -> Result<Arc<Type>, ParquetError> {
        let (physical, logical) = match self.get {
            Get::Text(_) => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            Get::Float(_) => (PhysicalType::DOUBLE, None),
            Get::Integer(_) => (PhysicalType::INT64, None),
            Get::Flag(_) => (PhysicalType::BOOLEAN, None),
        };
        let repetition = if self.nullable { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let field = Type::primitive_type_builder(self.name, physical);
        Ok(Arc::new(field.with_repetition(repetition).with_logical_type(logical).build()?))
    }

    /// A place for its values.
    pub(super) fn waiting(&self) -> Waiting {
        let values = match self.get {
            Get::Text(_) => Values::Text(Vec::new()),
            Get::Float(_) => Values::Float(Vec::new()),
            Get::Integer(_) => Values::Integer(Vec::new()),
            Get::Flag(_) => Values::Flag(Vec::new()),
        };
        Waiting { values, there: self.nullable.then(Vec::new) }
    }

    /// Adds a row's value. `waiting` is of this column.
    pub(super) fn take(&self, row: &R, waiting: &mut Waiting) {
        let there = match (&self.get, &mut waiting.values) {
            (Get::Text(get), Values::Text(values)) => push_text(values, get(row)),
            (Get::Float(get), Values::Float(values)) => push(values, get(row)),
            (Get::Integer(get), Values::Integer(values)) => push(values, get(row)),
            (Get::Flag(get), Values::Flag(values)) => push(values, get(row)),
            _ => unreachable!("the place was made by this column"),
        };
        if let Some(levels) = &mut waiting.there {
            levels.push(i16::from(there));
        }
    }
}

fn push<T>(values: &mut Vec<T>, value: Option<T>) -> bool {
    let there = value.is_some();
    values.extend(value);
    there
}

/// Neighbours often have the same text: it is kept once.
fn push_text(values: &mut Vec<ByteArray>, text: Option<&str>) -> bool {
    let Some(text) = text else { return false };
    let again = values.last().filter(|last| last.data() == text.as_bytes()).cloned();
    values.push(again.unwrap_or_else(|| ByteArray::from(text.as_bytes().to_vec())));
    true
}

enum Values {
    Text(Vec<ByteArray>),
    Float(Vec<f64>),
    Integer(Vec<i64>),
    Flag(Vec<bool>),
}

/// The values of a column that are not written yet.
pub(super) struct Waiting {
    values: Values,
    /// Of each row, whether it has a value; `None` where all have.
    there: Option<Vec<i16>>,
}

impl Waiting {
    /// Writes the values as one column chunk, and forgets them.
    pub(super) fn write(&mut self, mut to: SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let there = self.there.as_deref();
        match &mut self.values {
            Values::Text(values) => chunk::<ByteArrayType>(&mut to, values, there)?,
            Values::Float(values) => chunk::<DoubleType>(&mut to, values, there)?,
            Values::Integer(values) => chunk::<Int64Type>(&mut to, values, there)?,
            Values::Flag(values) => chunk::<BoolType>(&mut to, values, there)?,
        }
        if let Some(there) = &mut self.there {
            there.clear();
        }
        to.close()
    }
}

fn chunk<T: DataType>(
    to: &mut SerializedColumnWriter<'_>,
    values: &mut Vec<T::T>,
    there: Option<&[i16]>,
) -> Result<(), ParquetError> {
    to.typed::<T>().write_batch(values, there, None)?;
    values.clear();
    Ok(())
}
