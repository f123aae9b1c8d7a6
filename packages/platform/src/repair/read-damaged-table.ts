import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import { SQLITE, sqliteCodeOf } from '../sqlite-code.ts'

type Values = readonly SQLOutputValue[]

export interface TableShape {
  name: string
  columns: readonly string[]
  /** What rows are stored by: `rowid`, or the primary key of a table without one. */
  key: readonly string[]
  /** Indexes that still name rows which can no longer be read through the table itself. */
  indexes: readonly string[]
}

export interface DamagedTable {
  rows: { key: Values; values: Values }[]
  /** Rows that an index names but that cannot be read. There may be more. */
  unreadable: number
}

/** Identifiers come from a file that may contain anything. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

const MAX_PROBES = 20_000

/**
 * Reads what can be read of a table whose pages are partly damaged: from the beginning and from the
 * end up to the damage, then row by row in between, for every row that an index or a guess names.
 */
export const readDamagedTable = (database: DatabaseSync, table: TableShape): DamagedTable => {
  const { name, columns, key, indexes } = table
  const from = quoteName(name)
  const keys = key.map(quoteKey).join(', ')
  const selected = [...key.map(quoteKey), ...columns.map(quoteName)].join(', ')
  const found = new Map<string, { key: Values; values: Values }>()
  const add = (row: Values): boolean => {
    const id = idOf(row.slice(0, key.length))
    if (found.has(id)) return false
    found.set(id, { key: row.slice(0, key.length), values: row.slice(key.length) })
    return true
  }

  const scan = (direction: 'ASC' | 'DESC'): boolean => {
    const order = key.map((column) => `${quoteKey(column)} ${direction}`).join(', ')
    return readAll(
      database,
      `SELECT ${selected} FROM ${from} NOT INDEXED ORDER BY ${order}`,
      // The second pass ends where the first one ended.
      (row) => add(row) || direction === 'ASC',
    )
  }
  if (scan('ASC')) return { rows: [...found.values()], unreadable: 0 }
  scan('DESC')

  const one = prepare(
    database,
    `SELECT ${selected} FROM ${from} NOT INDEXED WHERE ${key.map((column) => `${quoteKey(column)} IS ?`).join(' AND ')}`,
  )
  const named = new Map<string, Values>()
  for (const index of indexes) {
    const sql = `SELECT ${keys} FROM ${from} INDEXED BY ${quoteName(index)}`
    readAll(database, sql, (row) => {
      named.set(idOf(row), row)
      return true
    })
  }
  let unreadable = 0
  for (const [id, wanted] of named) {
    if (!found.has(id) && !readOne(one, wanted, add)) unreadable++
  }
  if (key.length === 1 && key[0] === ROWID && named.size === 0) {
    for (const wanted of guessGaps([...found.values()].flatMap((row) => row.key))) {
      readOne(one, [wanted], add)
    }
  }
  return { rows: [...found.values()], unreadable }
}

export const ROWID = 'rowid'

const quoteKey = (column: string): string => (column === ROWID ? ROWID : quoteName(column))

const idOf = (key: Values): string =>
  JSON.stringify(
    key.map((value) => [
      typeof value,
      value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value),
    ]),
  )

/** Gives back whether the end was reached, or `onRow` wanted no more; damage ends it early. */
const readAll = (database: DatabaseSync, sql: string, onRow: (row: Values) => boolean): boolean => {
  try {
    for (const row of prepare(database, sql)?.iterate() ?? []) {
      if (!onRow(valuesOf(row))) return true
    }
    return true
  } catch (thrown) {
    if (isDamage(thrown)) return false
    throw thrown
  }
}

const readOne = (
  statement: StatementSync | undefined,
  key: Values,
  add: (row: Values) => boolean,
): boolean => {
  try {
    const row = statement?.get(...key)
    if (row === undefined) return false
    add(valuesOf(row))
    return true
  } catch (thrown) {
    if (isDamage(thrown)) return false
    throw thrown
  }
}

/** An index may be missing as well, or its entry in the schema be unreadable. */
const prepare = (database: DatabaseSync, sql: string): StatementSync | undefined => {
  try {
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    statement.setReadBigInts(true)
    return statement
  } catch (thrown) {
    if (isDamage(thrown) || sqliteCodeOf(thrown) === SQLITE.error) return undefined
    throw thrown
  }
}

const valuesOf = (row: unknown): Values => (Array.isArray(row) ? row : [])

const isDamage = (thrown: unknown): boolean => {
  const code = sqliteCodeOf(thrown)
  return code === SQLITE.corrupt || code === SQLITE.notadb || code === SQLITE.ioerr
}

/** Row numbers that lie between known ones, up to a limit. */
function* guessGaps(keys: readonly SQLOutputValue[]): Generator<bigint> {
  const numbers = keys.filter((key) => typeof key === 'bigint').sort((a, b) => (a < b ? -1 : 1))
  let probes = 0
  for (const [place, number] of numbers.entries()) {
    const next = numbers[place + 1]
    for (let guess = number + 1n; next !== undefined && guess < next; guess++) {
      if (probes++ === MAX_PROBES) return
      yield guess
    }
  }
}
