import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isAbsent } from '../error-code.ts'
import type { Home } from '../home/home.ts'

export type SecurityHome = Pick<Home, 'security'>

/** One file of the log; `name` is relative to `MEMORY/SECURITY`. */
export interface SecurityLogFile {
  name: string
  path: string
  /** Written by Steward: a part of the chain. The others are of predecessors. */
  chained: boolean
}

/** The file that the rows of a day go to; days are those of UTC. */
export const securityLogName = (date: Date): string => {
  const day = date.toISOString().slice(0, 10)
  return `${day.slice(0, 4)}/${day.slice(5, 7)}/security-${day}.jsonl`
}

/** The last hash and the number of rows, kept apart: rows that are cut off at the end are missed by it. */
export const securityHeadPath = (home: SecurityHome): string => join(home.security, 'head.json')

export const securityLockPath = (home: SecurityHome): string => join(home.security, '.chain.lock')

/** All files of the log in the order of their months; those of the chain in the order of the chain. */
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
