import { existsSync, realpathSync } from 'node:fs'
import { copyFile, link, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { reasonOf, StewardError } from '@steward/contract'
import { REBUILDABLE } from '../backup/backup-scope.ts'
import { listHomeFiles } from '../backup/list-home-files.ts'
import type { KnownStore } from '../backup/restore-backup.ts'
import { checkDatabase } from '../database/check-database.ts'
import { syncFolder } from '../files/write-file-atomically.ts'
import { claimHome, isHomeClaimed } from '../home/daemon-info.ts'
import { findRunning } from '../home/find-running.ts'
import type { Home } from '../home/home.ts'
import { type RecoveredTable, recoverDatabase } from './recover-database.ts'
import { checkLog, repairLog } from './repair-log.ts'

export interface RepairFinding {
  /** Relative to the data home. */
  path: string
  /**
   * `removed`: an index that will be rebuilt; `recovered`: a new file with the readable content;
   * `damaged`: left unchanged, because only a check was requested or a repair would do harm.
   */
  state: 'ok' | 'damaged' | 'removed' | 'recovered' | 'unreadable'
  reason?: string
  /** The path of the damaged original. */
  kept?: string
  tables?: RecoveredTable[]
  problems?: string[]
}

export interface RepairOptions {
  home: Home
  /** The databases whose schema is known. */
  stores: readonly KnownStore[]
  /** Only reports; also works while a daemon runs. */
  checkOnly: boolean
  now: () => Date
}

/**
 * Checks every database and log of a data home. Replaces damaged ones by their readable content and
 * keeps each original beside it. Throws `daemon_running` or `run_active` while a process uses the
 * home, unless it only checks.
 */
export const repairHome = async (options: RepairOptions): Promise<RepairFinding[]> => {
  if (options.checkOnly) return inspect(options)
  const running = findRunning(options.home)
  if (running !== undefined && !isHomeClaimed(options.home)) {
    const reason = `${running}; stop it first`
    throw new StewardError('run_active', { subject: `work on ${options.home.root}`, reason })
  }
  const lock = await claimHome(options.home)
  try {
    return await inspect(options)
  } finally {
    lock.release()
  }
}

const inspect = async ({
  home,
  stores,
  checkOnly,
  now,
}: RepairOptions): Promise<RepairFinding[]> => {
  const root = realpathSync(home.root)
  const stamp = now()
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replaceAll(':', '-')
  const { databases, logs } = listHomeFiles(root, { secrets: false })
  const findings: RepairFinding[] = []
  for (const path of [
    ...REBUILDABLE.filter((each) => existsSync(join(root, each))),
    ...databases,
  ]) {
    const migrations = stores.find((store) => store.path === path)?.migrations
    findings.push(await repairDatabase(root, path, checkOnly, stamp, migrations))
  }
  for (const path of logs) findings.push(await repairLines(root, path, checkOnly, stamp))
  return findings
}

const repairDatabase = async (
  root: string,
  path: string,
  checkOnly: boolean,
  stamp: string,
  migrations: readonly string[] | undefined,
): Promise<RepairFinding> => {
  const file = join(root, path)
  let reason: string | undefined
  try {
    reason = checkDatabase(file, { quick: false }).damage
  } catch (thrown) {
    return { path, state: 'unreadable', reason: reasonOf(thrown) }
  }
  if (reason === undefined) return { path, state: 'ok' }
  if (checkOnly) return { path, state: 'damaged', reason }
  if (REBUILDABLE.includes(path)) {
    for (const ending of ['', ...COMPANIONS]) await rm(`${file}${ending}`, { force: true })
    return { path, state: 'removed', reason }
  }
  const kept = `${file}.damaged-${stamp}`
  const draft = `${file}.recovered-${stamp}`
  try {
    await (await open(draft, 'wx', 0o600)).close()
    const { tables, problems } = recoverDatabase(file, draft, migrations)
    await exchange(file, draft, kept)
    return { path, state: 'recovered', reason, kept, tables, problems }
  } catch (thrown) {
    return { path, state: 'unreadable', reason: `${reason}; ${reasonOf(thrown)}` }
  } finally {
    for (const ending of ['', ...COMPANIONS]) await rm(`${draft}${ending}`, { force: true })
  }
}

const COMPANIONS = ['-wal', '-shm', '-journal']

/**
 * Links the original under its second name before the new file replaces it, so that it always has a
 * name.
 */
const exchange = async (file: string, draft: string, kept: string): Promise<void> => {
  for (const ending of COMPANIONS) {
    if (existsSync(`${file}${ending}`)) await copyFile(`${file}${ending}`, `${kept}${ending}`)
  }
  await link(file, kept)
  // SQLite would apply the write-ahead log of the old file to the new one.
  for (const ending of COMPANIONS) await rm(`${file}${ending}`, { force: true })
  await rename(draft, file)
  await syncFolder(dirname(file))
}

const SECURITY_LOGS = 'MEMORY/SECURITY/'

const repairLines = async (
  root: string,
  path: string,
  checkOnly: boolean,
  stamp: string,
): Promise<RepairFinding> => {
  const file = join(root, path)
  try {
    const { rows, damaged } = await checkLog(file)
    if (damaged === 0) return { path, state: 'ok' }
    const reason = `${damaged} of ${rows + damaged} lines are damaged`
    if (path.startsWith(SECURITY_LOGS)) {
      const advice = 'left as it is, so that `steward security verify` can show what was changed'
      return { path, state: 'damaged', reason: `${reason}; ${advice}` }
    }
    if (checkOnly) return { path, state: 'damaged', reason }
    const kept = `${file}.damaged-${stamp}`
    const isDone = await repairLog(file, kept)
    if (isDone) return { path, state: 'recovered', reason, kept }
    return { path, state: 'damaged', reason: `${reason}; it is being written to, try again` }
  } catch (thrown) {
    return { path, state: 'unreadable', reason: reasonOf(thrown) }
  }
}
