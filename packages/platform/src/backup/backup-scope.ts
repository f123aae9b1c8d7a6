/** Steward's own names at the top of a data home, which may be shared with other tools. */
export const HOME_PARTS = [
  'settings.json',
  '.env',
  'token',
  'MEMORY',
  'USER',
  'OUTPUT',
  'state',
  'hosted',
] as const

/** Keys, tokens and logins, which `--without-secrets` excludes. */
export const SECRET_FILES: readonly string[] = [
  '.env',
  'token',
  'hosted/master.key',
  'hosted/own.key',
  'state/sign-ins.json',
  // It holds the keys of devices that may answer.
  'state/attention.sqlite',
  // It holds the keys for web push.
  'state/web-push.json',
]

export const isSecret = (path: string): boolean => SECRET_FILES.includes(path)

/** Indexes that can be rebuilt from the files they index. */
export const REBUILDABLE: readonly string[] = ['state/search.sqlite', 'state/sessions.sqlite']

/** Files and folders that only matter to a running process, or are recreated if missing. */
const RUNTIME: readonly string[] = [
  'state/locks',
  'state/owners',
  'state/watchdogs',
  'state/speech',
  'state/daemon.json',
  'state/supervisor.json',
  'state/backups.json',
  'state/edge/lock',
  'state/edge/running.json',
  'hosted/server.json',
  'hosted/packages',
  ...REBUILDABLE,
]
const RUNTIME_NAME = /\.lock$|\.draft$|-(?:wal|shm|journal)$|^\..+\.\d+-[0-9a-f]{12}$/

export const isRuntime = (path: string): boolean =>
  RUNTIME.includes(path) || RUNTIME_NAME.test(path.slice(path.lastIndexOf('/') + 1))

/**
 * Decided by name, because opening a database other than through SQLite drops this process's locks
 * on it.
 */
export const isDatabase = (path: string): boolean => /\.(?:sqlite3?|db)$/.test(path)

/** JSON lines, including rotated files. */
export const isLog = (path: string): boolean => /\.jsonl(?:\.\d+)?$/.test(path)

/** Databases that only Steward's own code writes; it waits for locks, unlike workerd. */
export const isOwnDatabase = (path: string): boolean =>
  /^state\/[^/]+$/.test(path) || path === 'state/edge/queues.sqlite'

/**
 * The reason why an archive entry of this name must not be written into a data home; undefined if
 * it may be. An archive can come from anywhere, and a name such as `../.bashrc` would leave the
 * home.
 */
export const refuseEntryName = (name: string): string | undefined => {
  if (name.length === 0 || name.length > MAX_NAME_CHARS) return 'the name is empty or too long'
  if (name.includes('\0') || name.includes('\\')) return 'the name has a forbidden character'
  const segments = name.split('/')
  if (segments.some((segment) => ['', '.', '..'].includes(segment))) {
    return 'the name is not a plain relative path'
  }
  const [first = ''] = segments
  return HOME_PARTS.some((part) => part === first) ? undefined : 'it does not belong to a data home'
}

const MAX_NAME_CHARS = 4096
