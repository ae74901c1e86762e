//! One file: the rows of one table in one month.

use super::{
    columns::{Column, Waiting},
    tables::TableRow,
};
use crate::{StoreError, files};
use parquet::{
    basic::{Compression, ZstdLevel},
    errors::ParquetError,
    file::{properties::WriterProperties, writer::SerializedFileWriter},
    schema::types::Type,
};
use std::{
    collections::BTreeSet,
    fs::{self, File},
    path::{Path, PathBuf},
    sync::Arc,
};

/// Rows of a group, which are in memory until the group is complete. What DuckDB writes, too.
const GROUP: usize = 122_880;

/// A file that is being written, elsewhere in the folder until it is whole.
pub(super) struct MonthFile {
    path: PathBuf,
    draft: PathBuf,
    open: Option<Open>,
    rows: u64,
}

struct Open {
    writer: SerializedFileWriter<File>,
    waiting: Vec<Waiting>,
    rows: usize,
}

impl MonthFile {
    /// The file of a table in one month, for example `2026-11`. It is made with its first row.
    pub(super) fn of<R: TableRow>(out: &Path, month: &str) -> Self {
        let (name, month_folder) = (format!("{}.parquet", R::NAME), format!("month={month}"));
        Self {
            path: out.join(R::NAME).join(month_folder).join(&name),
            draft: out.join("tmp").join(name),
            open: None,
            rows: 0,
        }
    }

    /// Adds a row; `columns` are those of its table.
    pub(super) fn push<R: TableRow>(
        &mut self,
        columns: &[Column<R>],
        row: &R,
    ) -> Result<(), StoreError> {
        if self.open.is_none() {
            files::make_folder(self.draft.parent().unwrap_or(Path::new(".")))?;
            let file = File::create(&self.draft).map_err(StoreError::io("write", &self.draft))?;
            let writer = begin(file, columns).map_err(failed(&self.draft))?;
            let waiting = columns.iter().map(Column::waiting).collect();
            self.open = Some(Open { writer, waiting, rows: 0 });
        }
        let Some(open) = &mut self.open else { return Ok(()) };
        for (column, waiting) in columns.iter().zip(&mut open.waiting) {
            column.take(row, waiting);
        }
        (open.rows, self.rows) = (open.rows + 1, self.rows + 1);
        if open.rows == GROUP { open.write().map_err(failed(&self.draft)) } else { Ok(()) }
    }

    /// Puts the file into its place. Where that is, and how many rows it has; `None` without rows.
    pub(super) fn finish(mut self) -> Result<Option<(PathBuf, u64)>, StoreError> {
        let Some(open) = self.open.take() else { return Ok(None) };
        let file = open.finish().map_err(failed(&self.draft))?;
        file.sync_all().map_err(StoreError::io("write", &self.draft))?;
        files::put(&self.draft, &self.path)?;
        Ok(Some((self.path, self.rows)))
    }
}

impl Open {
    /// Writes the rows that wait as one group.
    fn write(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for waiting in &mut self.waiting {
            if let Some(column) = group.next_column()? {
                waiting.write(column)?;
            }
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }

    fn finish(mut self) -> Result<File, ParquetError> {
        if self.rows > 0 {
            self.write()?;
        }
        self.writer.into_inner()
    }
}

fn begin<R: TableRow>(
    file: File,
    columns: &[Column<R>],
) -> Result<SerializedFileWriter<File>, ParquetError> {
    let fields = columns.iter().map(Column::field).collect::<Result<_, _>>()?;
    let schema = Type::group_type_builder(R::NAME).with_fields(fields).build()?;
    let zstd = Compression::ZSTD(ZstdLevel::try_new(3)?);
    let properties = WriterProperties::builder().set_compression(zstd).build();
    SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))
}

/// An error of the file's writer, as one of the file system.
fn failed(path: &Path) -> impl FnOnce(ParquetError) -> StoreError {
    let path = path.to_path_buf();
    move |error| StoreError::io("write", &path)(std::io::Error::other(error))
}

/// Removes the months of a table that are not among these files: those of an older export.
pub(super) fn remove_others(table: &Path, keep: &BTreeSet<PathBuf>) -> Result<(), StoreError> {
    for month in files::names(table)? {
        let folder = table.join(month);
        for name in files::names(&folder)?.iter().filter(|name| name.ends_with(".parquet")) {
            let path = folder.join(name);
            if !keep.contains(&path) {
                fs::remove_file(&path).map_err(StoreError::io("delete", &path))?;
                // Empty, unless somebody put something else there.
                let _ = fs::remove_dir(&folder);
            }
        }
    }
    Ok(())
}
