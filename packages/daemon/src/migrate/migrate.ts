import { existsSync, mkdirSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { reasonOf, StewardError } from '@steward/contract'
import {
  type FolderImport,
  forgetImport,
  importFolder,
  type LoadedArchive,
} from '@steward/knowledge'
import { findDaemon, type Home, parseEnv, writeFileAtomically } from '@steward/platform'
import { findLayout, type Layout, listOthers } from './find-layout.ts'
import { hashOf, type Migration, readMigrations, recordMigration } from './migration-record.ts'
import type { MoveItem, MovePlan, MoveWrite } from './move.ts'
import { moveAssistant } from './move-assistant.ts'
import { moveFiles } from './move-files.ts'
import { movePolicy, POLICY } from './move-policy.ts'
import { moveEnv, moveSettings } from './move-settings.ts'

export interface MigratePorts {
  home: Home
  loaded: LoadedArchive
  now: () => Date
  onProgress?: (done: number, total: number) => void
}

export interface Migrated {
  source: string
  items: MoveItem[]
}

/** Shows or performs the move. The old installation is only read. */
export const migrate = async (
  ports: MigratePorts,
  folder: string,
  { dryRun }: { dryRun: boolean },
): Promise<Migrated> => {
  const { home, now } = ports
  const layout = findLayout(folder)
  if (!dryRun) await requireNoDaemon(home)
  const plan = await planMove(layout, home)
  plan.items.push(...listOthers(layout))
  const migration: Migration = {
    at: now().toISOString(),
    source: layout.root,
    created: [],
    replaced: [],
    knowledge: null,
  }
  try {
    if (!dryRun) for (const write of plan.writes) await perform(home, migration, write)
    plan.items.push(...(await moveKnowledge(ports, layout, migration, dryRun)))
  } finally {
    // Also after a failure, so that what was written can be undone.
    const hasWritten = migration.created.length + migration.replaced.length > 0
    if (hasWritten) await recordMigration(home, migration)
  }
  return { source: layout.root, items: plan.items }
}

const requireNoDaemon = async (home: Home): Promise<void> => {
  const daemon = await findDaemon(home)
  if (daemon === undefined) return
  const reason = 'it writes to the files that are moved; stop it first: steward service stop'
  throw new StewardError('invalid_input', { subject: 'the running daemon', reason })
}

const planMove = async (layout: Layout, home: Home): Promise<MovePlan> => {
  const current = await readOr(home.settings)
  const env = await readOr(home.envFile)
  const theirs = layout.envFile === undefined ? '' : ((await readOr(layout.envFile)) ?? '')
  const variables = parseEnv(theirs, '.env')
  const settings = moveSettings(layout.settings, {
    current,
    env: new Map(variables.ok ? Object.entries(variables.value) : []),
  })
  const assistant = moveAssistant(layout.user, settings.principal)
  const isAssistant = (path: string) =>
    assistant.folders.some((folder) => path.startsWith(`USER/${folder}`))
  const files = [
    movePolicy({
      user: layout.user,
      root: layout.root,
      harness: dirname(layout.settings ?? join(dirname(layout.root), 'settings.json')),
      home: home.root,
    }),
    moveFiles('USER', layout.user, {
      home: home.root,
      isHandled: (path) => isAssistant(path) || path === POLICY,
    }),
    moveFiles('MEMORY', layout.memory, {
      home: home.root,
      isHandled: (path) => path.startsWith('MEMORY/KNOWLEDGE/'),
    }),
  ]
  const parts = [settings, moveEnv(layout.envFile, env ?? ''), keepOwn(assistant, home), ...files]
  return {
    items: parts.flatMap(({ items }) => items),
    writes: parts.flatMap(({ writes }) => writes),
  }
}

/** An assistant that was set up here stays as it is. */
const keepOwn = (plan: MovePlan, home: Home): MovePlan => {
  const isThere = ({ to }: Pick<MoveWrite, 'to'>) => existsSync(join(home.root, to))
  return {
    writes: plan.writes.filter((write) => !isThere(write)),
    items: plan.items.map((item) =>
      item.to !== undefined && !item.to.endsWith('/') && isThere({ to: item.to })
        ? { ...item, outcome: 'kept', note: 'the data home has another file of this name' }
        : item,
    ),
  }
}

const readOr = async (path: string): Promise<string | undefined> =>
  existsSync(path) ? readFile(path, 'utf8') : undefined

const perform = async (home: Home, migration: Migration, write: MoveWrite): Promise<void> => {
  const path = join(home.root, write.to)
  const content = Buffer.from(write.content)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const entry = { path: write.to, hash: hashOf(content) }
  if (existsSync(path)) {
    if (write.replaces !== true) return
    const backup = join('state/migrations', migration.at.replaceAll(':', '-'), write.to)
    mkdirSync(dirname(join(home.root, backup)), { recursive: true, mode: 0o700 })
    await writeFileAtomically(join(home.root, backup), await readFile(path))
    migration.replaced.push({ ...entry, backup })
  } else migration.created.push(entry)
  await writeFileAtomically(path, content)
}

const moveKnowledge = async (
  { home, loaded, onProgress }: MigratePorts,
  layout: Layout,
  migration: Migration,
  dryRun: boolean,
): Promise<MoveItem[]> => {
  const part = 'knowledge'
  const folder = layout.memory === undefined ? undefined : join(layout.memory, 'KNOWLEDGE')
  if (folder === undefined || !existsSync(folder)) return []
  if (folder === home.knowledge) {
    const note = 'it is the archive of this data home: steward knowledge check --fix'
    return [{ part, from: 'MEMORY/KNOWLEDGE', outcome: 'same', note }]
  }
  let result: FolderImport
  try {
    const ports = { home, loaded, ...(onProgress === undefined ? {} : { onProgress }) }
    result = await importFolder(ports, { folder, domain: 'Research', dryRun })
  } catch (thrown) {
    return [{ part, from: 'MEMORY/KNOWLEDGE', outcome: 'left', note: reasonOf(thrown) }]
  }
  const nameOf = (path: string) => `MEMORY/KNOWLEDGE/${path}`
  if (!dryRun) {
    migration.knowledge = folder
    for (const { file, outcome } of result.notes) {
      if (outcome !== 'added') continue
      const path = `MEMORY/KNOWLEDGE/${file}`
      migration.created.push({ path, hash: hashOf(await readFile(join(home.root, path))) })
    }
  }
  const problems = Map.groupBy(result.problems, ({ file }) => file)
  return [
    ...result.notes.map(({ path, file, outcome }): MoveItem => {
      const notes = (problems.get(path) ?? []).map(({ reason }) => reason)
      return {
        part,
        from: nameOf(path),
        to: nameOf(file),
        outcome: outcome === 'unchanged' ? 'same' : outcome === 'kept' ? 'kept' : 'converted',
        ...(notes.length === 0 ? {} : { note: notes.join('; ') }),
      }
    }),
    ...result.attachments.map((path): MoveItem => ({ part, from: nameOf(path), outcome: 'taken' })),
    ...result.skipped.map(
      ({ file, reason }): MoveItem => ({ part, from: nameOf(file), outcome: 'left', note: reason }),
    ),
  ]
}

export interface Undone {
  removed: string[]
  restored: string[]
  /** Changed since the move; they stay. */
  kept: string[]
}

/** Takes the last move back: removes what it created and restores what it replaced. */
export const undoMigration = async (home: Home): Promise<Undone> => {
  await requireNoDaemon(home)
  const { migrations } = await readMigrations(home)
  const last = migrations.findLast(({ undone }) => undone !== true)
  if (last === undefined) throw new StewardError('not_found', { what: 'migration', name: 'last' })
  const undone: Undone = { removed: [], restored: [], kept: [] }
  for (const { path, hash } of last.created) {
    const file = join(home.root, path)
    if (!existsSync(file)) continue
    if (hashOf(await readFile(file)) !== hash) undone.kept.push(path)
    else {
      await rm(file)
      undone.removed.push(path)
    }
  }
  for (const { path, hash, backup } of last.replaced) {
    const file = join(home.root, path)
    const isOurs = existsSync(file) && hashOf(await readFile(file)) === hash
    if (isOurs) {
      await writeFileAtomically(file, await readFile(join(home.root, backup)))
      undone.restored.push(path)
    } else undone.kept.push(path)
  }
  if (last.knowledge !== null) await forgetImport(home, last.knowledge)
  await recordMigration(home, { ...last, undone: true })
  return undone
}
