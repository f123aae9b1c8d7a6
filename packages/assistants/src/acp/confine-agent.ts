import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { unwrap } from '@steward/contract'
import { confineProgram, searchPathOf } from '@steward/platform'
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
}

/**
 * The program of an assistant in the sandbox of actions. It keeps the network and its own records and
 * login; of the rest it sees the system and the folder of its session. Repositories are read-only, so
 * that it cannot add hooks to them; Steward commits.
 */
export const confineAgent = async (
  spec: Pick<DriveSpec, 'own'>,
  program: FoundProgram,
  { folder, project, writable, homedir, env }: AgentConfinement,
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
      readable: [folder, join(project, '.git')],
      writable: [...own, ...(writable.length === 0 ? [folder] : mayWrite)],
      protected: [join(folder, '.git'), join(project, '.git')],
    }),
  )
}

/** A path with an ending is taken for a file, which has to exist. */
const hasEnding = (path: string): boolean => /\.[^./]+$/.test(path)
