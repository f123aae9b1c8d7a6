import { chmodSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EVENT_SOURCES } from '@steward/contract'
import {
  checkDatabaseFile,
  ensureHome,
  listOpenDatabases,
  openDatabase,
  resolveHome,
} from '@steward/platform'
import { checkStores } from '../../../doctor/check-storage.ts'
import { STORES } from '../../../stores/index.ts'
import { createStorageModule } from '../storage-module.ts'

/**
 * Runs as a separate process without the rights of an administrator, for whom every file is
 * readable. Breaks each store of a data home in each way, and prints who named it.
 */
const [, , root = ''] = process.argv
const home = resolveHome({ STEWARD_HOME: root })

const JSON_FILES = [
  ...['work', 'flow-state', 'session-names', 'pushed-events', 'observer-halts'].map(
    (name) => `MEMORY/STATE/${name}.json`,
  ),
  ...['sign-ins', 'backups'].map((name) => `state/${name}.json`),
  'USER/FLOWS/flow-index.json',
  'USER/FLOWS/feeds.json',
]
const OTHER_FILES = [
  ...Object.values(EVENT_SOURCES).map(({ file }) => file),
  'MEMORY/STATE/work-archive.jsonl',
  'MEMORY/LEARNING/SIGNALS/ratings.jsonl',
  'MEMORY/SECURITY/head.json',
  'USER/ASSISTANT/tasks.yaml',
  'hosted/own.key',
  'settings.json',
  '.env',
  'token',
]
const FOLDERS = [
  ...['KNOWLEDGE', 'KNOWLEDGE/Ideas', 'LEARNING', 'OBSERVABILITY', 'STATE', 'VOICE', 'WORK'].map(
    (name) => `MEMORY/${name}`,
  ),
  'USER/ASSISTANT/diary',
  'OUTPUT',
  'state',
  'state/payloads',
]
/** The index of the knowledge archive and the wiki; damage to it is repaired by rebuilding it. */
const INDEX = 'state/search.sqlite'
const DATABASES = [...STORES.map(({ path }) => path), 'state/edge/queues.sqlite']

const createStores = async (): Promise<void> => {
  await ensureHome(home)
  for (const path of FOLDERS) mkdirSync(join(root, path), { recursive: true })
  for (const path of [...JSON_FILES, ...OTHER_FILES]) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), path.endsWith('.json') ? '{}' : '')
  }
  const migrations = ['CREATE TABLE kept (text TEXT) STRICT']
  for (const path of [...DATABASES, INDEX]) {
    await openDatabase(join(root, path), { migrations }).close()
  }
}

const FAULTS: Record<string, (path: string, isFolder: boolean) => void> = {
  denied: (path) => chmodSync(path, 0),
  replaced: (path, isFolder) => {
    if (isFolder) writeFileSync(path, '')
    else mkdirSync(path)
  },
  damaged: (path) => writeFileSync(path, '{"half'.repeat(2000)),
}

const look = async (broken?: string) => {
  // The others are sound, and a check takes a while.
  const checkDatabase = async (path: string) =>
    path === broken ? checkDatabaseFile(path) : undefined
  let next = (): void => undefined
  const looked = Promise.withResolvers<void>()
  const quiet = () => undefined
  const module = createStorageModule({
    home,
    log: { info: quiet, warn: quiet, error: quiet },
    now: Date.now,
    setTimer: (delayMs, action) => {
      if (delayMs === 0) next = action
      else looked.resolve()
      return quiet
    },
    settings: () => ({ storage: { warnBelowMb: 0 } }),
    notices: { send: async () => ({ stored: true }) },
    openDatabases: () => listOpenDatabases(root),
    checkDatabase,
    readDisks: () => [],
  })
  await module.start?.()
  next()
  await looked.promise
  const health = module.health?.() ?? { status: 'ok', stores: [] }
  await module.stop?.()
  const findings = await checkStores(home, checkDatabase)
  return {
    status: health.status,
    health: Array.isArray(health.stores) ? health.stores.map(String) : [],
    doctor: findings.filter(({ status }) => status === 'fail').map(({ message }) => message),
    hasRemedies: findings.every(({ status, repair }) => status === 'ok' || Boolean(repair)),
  }
}

await createStores()
const results: unknown[] = [{ store: 'none', fault: 'none', ...(await look()) }]
for (const store of [...FOLDERS, ...DATABASES, INDEX, ...JSON_FILES, ...OTHER_FILES]) {
  const path = join(root, store)
  for (const [fault, apply] of Object.entries(FAULTS)) {
    const canBeDamaged = DATABASES.includes(store) || JSON_FILES.includes(store)
    if (fault === 'damaged' && !canBeDamaged) continue
    const { mode } = statSync(path)
    const aside = join(root, 'aside')
    if (fault !== 'denied') renameSync(path, aside)
    apply(path, FOLDERS.includes(store))
    results.push({ store, fault, ...(await look(path)) })
    chmodSync(path, mode)
    if (fault === 'denied') continue
    rmSync(path, { recursive: true })
    renameSync(aside, path)
  }
}
process.stdout.write(JSON.stringify(results))
