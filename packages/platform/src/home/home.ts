import { homedir as systemHomedir } from 'node:os'
import { join, resolve } from 'node:path'

/** The data home: all paths that Steward uses. Design section 4. */
export interface Home {
  root: string
  settings: string
  envFile: string
  /** The daemon's access token; mode 0600. */
  token: string
  memory: string
  observability: string
  voice: string
  work: string
  security: string
  knowledge: string
  learning: string
  /** `MEMORY/STATE`: small JSON files that people and other tools read. */
  stateDir: string
  workState: string
  flowState: string
  /** The person's own definitions; they override built-in ones by name. */
  user: {
    root: string
    actions: string
    pipelines: string
    flows: string
    workers: string
    agents: string
    security: string
    assistant: string
  }
  /** `state/`: SQLite databases and related files. */
  databases: string
  historyDatabase: string
  queueDatabase: string
  /** Run inputs and outputs too large for the history database. */
  payloads: string
  /** Output of flows for the person to read. */
  output: string
  /** JSON Schemas for editors. */
  schemas: string
  /** Type declarations for custom actions. */
  types: string
}

/** `STEWARD_HOME`, or `~/.steward`. Supports a leading `~` and relative paths. */
export const resolveHome = (
  environment: Readonly<Record<string, string | undefined>>,
  homedir: string = systemHomedir(),
): Home => homeAt(rootOf(environment.STEWARD_HOME?.trim(), homedir))

const rootOf = (configured: string | undefined, homedir: string): string =>
  configured ? resolve(expandTilde(configured, homedir)) : join(homedir, '.steward')

/** A path as people write it in settings: `~` is the home folder. */
export const expandTilde = (path: string, homedir: string = systemHomedir()): string =>
  path === '~' || path.startsWith('~/') ? join(homedir, path.slice(1)) : path

const homeAt = (root: string): Home => {
  const memory = join(root, 'MEMORY')
  const stateDir = join(memory, 'STATE')
  const user = join(root, 'USER')
  const databases = join(root, 'state')
  return {
    root,
    settings: join(root, 'settings.json'),
    envFile: join(root, '.env'),
    token: join(root, 'token'),
    memory,
    observability: join(memory, 'OBSERVABILITY'),
    voice: join(memory, 'VOICE'),
    work: join(memory, 'WORK'),
    security: join(memory, 'SECURITY'),
    knowledge: join(memory, 'KNOWLEDGE'),
    learning: join(memory, 'LEARNING'),
    stateDir,
    workState: join(stateDir, 'work.json'),
    flowState: join(stateDir, 'flow-state.json'),
    user: {
      root: user,
      actions: join(user, 'ACTIONS'),
      pipelines: join(user, 'PIPELINES'),
      flows: join(user, 'FLOWS'),
      workers: join(user, 'WORKERS'),
      agents: join(user, 'AGENTS'),
      security: join(user, 'SECURITY'),
      assistant: join(user, 'ASSISTANT'),
    },
    databases,
    historyDatabase: join(databases, 'history.sqlite'),
    queueDatabase: join(databases, 'queue.sqlite'),
    payloads: join(databases, 'payloads'),
    output: join(root, 'OUTPUT'),
    schemas: join(root, 'schemas'),
    types: join(root, 'types'),
  }
}
