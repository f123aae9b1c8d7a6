import { mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { unwrap } from '@steward/contract'
import { confineProgram, expandTilde, type Home, searchPathOf } from '@steward/platform'
import type { Assistant } from '../assistant.ts'
import { policyPath } from '../guard/policy-state.ts'
import type { DriveSpec } from './drive-spec.ts'
import type { FoundProgram } from './find-program.ts'

export interface AgentConfinement {
  folder: string
  /** The project, whose repository a worktree belongs to. */
  project: string
  /** The only paths below the folder that it may change; all of them if empty. */
  writable: readonly string[]
  homedir: string
  env: Readonly<Record<string, string | undefined>>
  /** Lets its hooks judge its calls. */
  hooks?: SandboxedHooks
}

interface SandboxedHooks {
  home: Pick<Home, 'root' | 'settings' | 'user' | 'databases'>
  /** The hook program, and the files that register it. */
  program: { node: string; file: string }
  assistant: Pick<Assistant, 'protectedFiles'>
}

/**
 * The program of an assistant in the sandbox of actions. It keeps the network and its own records and
 * login; of the rest it sees the system and the folder of its session. Repositories are read-only, so
 * that it cannot add hooks to them; Steward commits. So are its own files that register hooks: what it
 * writes there would run outside of the sandbox later.
 */
export const confineAgent = async (
  spec: Pick<DriveSpec, 'own'>,
  program: FoundProgram,
  { folder, project, writable, homedir, env, hooks }: AgentConfinement,
): Promise<FoundProgram> => {
  const own = spec.own?.(homedir, env) ?? []
  for (const path of own) if (!path.endsWith('.json')) mkdirSync(path, { recursive: true })
  const mayWrite = writable.map((path) => resolve(folder, path))
  for (const path of mayWrite) if (!hasEnding(path)) mkdirSync(path, { recursive: true })
  return unwrap(
    await confineProgram(program, {
      folder,
      homedir,
      path: searchPathOf(env),
      readable: [folder, join(project, '.git'), ...(hooks === undefined ? [] : neededBy(hooks))],
      writable: [...own, ...(writable.length === 0 ? [folder] : mayWrite)],
      protected: [
        join(folder, '.git'),
        join(project, '.git'),
        ...(hooks?.assistant.protectedFiles ?? []).map((path) => expandTilde(path, homedir)),
      ],
    }),
  )
}

/**
 * What a hook reads to judge a call and to report it to the daemon, without the token and the secrets.
 * It cannot write the logs: the daemon does.
 */
const neededBy = ({ home, program: { node, file } }: SandboxedHooks): string[] => [
  node,
  dirname(file),
  home.settings,
  dirname(policyPath(home)),
  ...['daemon.json', 'daemon.lock', 'policy.json'].map((name) => join(home.databases, name)),
]

/** A path with an ending is taken for a file, which has to exist. */
const hasEnding = (path: string): boolean => /\.[^./]+$/.test(path)
