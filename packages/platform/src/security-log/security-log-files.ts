import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isAbsent } from '../error-code.ts'
import type { Home } from '../home/home.ts'

export type SecurityHome = Pick<Home, 'security'>

/** One file of the log; `name` is relative to `MEMORY/SECURITY`. */
export interface SecurityLogFile {
  name: string
  path: string
  /** Written by Steward and part of the chain. The others are from predecessors. */
  chained: boolean
}

/** The file for the rows of a UTC day. */
export const securityLogName = (date: Date): string => {
  const day = date.toISOString().slice(0, 10)
  return `${day.slice(0, 4)}/${day.slice(5, 7)}/security-${day}.jsonl`
}

/** The last hash and row count, stored separately so that truncation at the end is detected. */
export const securityHeadPath = (home: SecurityHome): string => join(home.security, 'head.json')

export const securityLockPath = (home: SecurityHome): string => join(home.security, '.chain.lock')

/** All files of the log by month; those of the chain in chain order. */
export const listSecurityFiles = (home: SecurityHome): SecurityLogFile[] =>
  namesIn(home.security, YEAR).flatMap((year) =>
    namesIn(join(home.security, year), MONTH).flatMap((month) =>
      namesIn(join(home.security, year, month), LOG).map((file) => {
        const name = `${year}/${month}/${file}`
        const chained = CHAINED.exec(file)?.groups
        return {
          name,
          path: join(home.security, name),
          chained: chained?.year === year && chained.month === month,
        }
      }),
    ),
  )

const YEAR = /^\d{4}$/
const MONTH = /^\d{2}$/
const LOG = /\.jsonl$/
const CHAINED = /^security-(?<year>\d{4})-(?<month>\d{2})-\d{2}\.jsonl$/

const namesIn = (folder: string, form: RegExp): string[] => {
  try {
    return readdirSync(folder)
      .filter((name) => form.test(name))
      .toSorted()
  } catch (thrown) {
    if (isAbsent(thrown)) return []
    throw thrown
  }
}
