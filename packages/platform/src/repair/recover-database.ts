import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { reasonOf } from '@steward/contract'
import { quoteName, ROWID, readDamagedTable, type TableShape } from './read-damaged-table.ts'

export interface RecoveredTable {
  name: string
  rows: number
  /** Rows that are known to be lost; others may be lost without a trace. */
  lost: number
}

export interface Recovery {
  tables: RecoveredTable[]
  /** Parts that could not be recreated: indexes, virtual tables, references between rows. */
  problems: string[]
}

/**
 * Copies every readable row of a damaged database into the new file `target`, with the same tables,
 * indexes and version. Only reads the damaged file. Tables that its list of tables has lost are
 * created empty, so that programs can use the file, if its `migrations` are known.
 */
export const recoverDatabase = (
  damaged: string,
  target: string,
  migrations: readonly string[] = [],
): Recovery => {
  const source = new DatabaseSync(damaged, { readOnly: true })
  const copy = new DatabaseSync(target, { enableForeignKeyConstraints: false })
  try {
    const problems: string[] = []
    // Otherwise one bad schema entry makes every table unreadable.
    source.exec('PRAGMA writable_schema = ON')
    const entries = readSchema(source)
    copy.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; BEGIN')
    const tables: RecoveredTable[] = []
    for (const { name, sql } of entries.filter(({ type }) => type === 'table')) {
      if (/^CREATE VIRTUAL/i.test(sql)) {
        problems.push(`the virtual table ${name} is not recovered`)
        continue
      }
      if (!make(copy, name, sql, problems)) continue
      tables.push(copyTable(source, copy, shapeOf(copy, name, entries), problems))
    }
    for (const { name, sql } of entries.filter(({ type }) => type !== 'table')) {
      make(copy, name, sql, problems)
    }
    copySequence(source, copy)
    const version = versionOf(source)
    for (const { type, name, sql } of schemaOf(migrations.slice(0, version))) {
      if (copy.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined)
        continue
      if (make(copy, name, sql, problems) && type === 'table') {
        problems.push(`the table ${name} is lost; a new one is empty`)
      }
    }
    copy.exec(`PRAGMA user_version = ${version}; COMMIT`)
    const orphans = copy.prepare('PRAGMA foreign_key_check').all().length
    if (orphans > 0) problems.push(`${orphans} rows refer to rows that are lost`)
    return { tables, problems }
  } finally {
    source.close()
    copy.close()
  }
}

interface SchemaEntry {
  type: string
  name: string
  table: string
  sql: string
}

/** What a sound database of this version consists of, tables first. */
const schemaOf = (migrations: readonly string[]): SchemaEntry[] => {
  const sound = new DatabaseSync(':memory:')
  try {
    for (const migration of migrations) sound.exec(migration)
    const entries = readSchema(sound)
    const tables = entries.filter(({ type }) => type === 'table')
    return [...tables, ...entries.filter(({ type }) => type !== 'table')]
  } finally {
    sound.close()
  }
}

const readSchema = (source: DatabaseSync): SchemaEntry[] => {
  const entries: SchemaEntry[] = []
  try {
    const rows = source.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema').iterate()
    for (const { type, name, tbl_name, sql } of rows) {
      if (typeof sql !== 'string' || String(name).startsWith('sqlite_')) continue
      entries.push({ type: String(type), name: String(name), table: String(tbl_name), sql })
    }
  } catch {
    // Uses the entries read so far; an unreadable list counts as empty.
  }
  return entries
}

const make = (copy: DatabaseSync, name: string, sql: string, problems: string[]): boolean => {
  try {
    copy.exec(sql)
    return true
  } catch (thrown) {
    problems.push(`${name} cannot be made again: ${reasonOf(thrown)}`)
    return false
  }
}

const shapeOf = (copy: DatabaseSync, name: string, entries: readonly SchemaEntry[]): TableShape => {
  const columns = copy
    .prepare('SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden = 0')
    .all(name)
  const listed = copy.prepare('SELECT wr FROM pragma_table_list(?)').get(name)
  const primary = columns
    .filter(({ pk }) => Number(pk) > 0)
    .sort((a, b) => Number(a.pk) - Number(b.pk))
  return {
    name,
    columns: columns.map((column) => String(column.name)),
    key: listed?.wr === 1 ? primary.map((column) => String(column.name)) : [ROWID],
    indexes: entries
      // A partial index cannot list all rows.
      .filter(
        ({ type, table, sql }) => type === 'index' && table === name && !/\bWHERE\b/i.test(sql),
      )
      .map((entry) => entry.name),
  }
}

const copyTable = (
  source: DatabaseSync,
  copy: DatabaseSync,
  shape: TableShape,
  problems: string[],
): RecoveredTable => {
  const { rows, unreadable } = readDamagedTable(source, shape)
  const isByRowid = shape.key[0] === ROWID
  const names = [...(isByRowid ? [ROWID] : []), ...shape.columns.map(quoteName)]
  const insert = copy.prepare(
    `INSERT INTO ${quoteName(shape.name)} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  )
  let refused: unknown
  let lost = unreadable
  for (const { key, values } of rows) {
    const row: SQLInputValue[] = isByRowid ? [...key, ...values] : [...values]
    try {
      insert.run(...row)
    } catch (thrown) {
      // Damage can produce rows that violate the table's constraints.
      refused = thrown
      lost++
    }
  }
  if (refused !== undefined) problems.push(`${shape.name}: ${reasonOf(refused)}`)
  return { name: shape.name, rows: rows.length - (lost - unreadable), lost }
}

/** Keeps the sequence, so that numbers are not reused. */
const copySequence = (source: DatabaseSync, copy: DatabaseSync): void => {
  try {
    for (const { name, seq } of source.prepare('SELECT name, seq FROM sqlite_sequence').all()) {
      const table = String(name)
      copy.prepare('DELETE FROM sqlite_sequence WHERE name = ? AND seq < ?').run(table, Number(seq))
      const known = copy.prepare('SELECT 1 FROM sqlite_sequence WHERE name = ?').get(table)
      if (known !== undefined) continue
      copy.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table, Number(seq))
    }
  } catch {
    // The table has no sequence or it is damaged; the highest remaining number then applies.
  }
}

const versionOf = (source: DatabaseSync): number => {
  try {
    return Number(source.prepare('PRAGMA user_version').get()?.user_version)
  } catch {
    return 0
  }
}
