import { mkdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type NamedAgentFile, renderClaudeAgent, slugOfAgent } from '@steward/agents'
import { StewardError } from '@steward/contract'
import { isMissing, writeFileAtomically } from '@steward/platform'
import type { Io } from '../io.ts'

export interface Exported {
  agent: string
  path: string
  changed: boolean
}

/** A line that only files written here have, so that others are left alone. */
const MARK = 'Steward daemon with'

/** Writes named agents as agent files of a host: of a project, or of the person. */
export const exportAgents = async (
  io: Io,
  agents: readonly NamedAgentFile[],
  host: string,
  project: string | undefined,
): Promise<Exported[]> => {
  if (host !== 'claude') {
    const reason =
      'agent files are known of claude only; other hosts take the text of `steward agents show`'
    throw new StewardError('not_available', { subject: `agent files for ${host}`, reason })
  }
  const root = project === undefined ? io.homedir : resolve(io.cwd, project)
  const configured = project === undefined ? io.env.CLAUDE_CONFIG_DIR : undefined
  const folder = join(configured ?? join(root, '.claude'), 'agents')
  await mkdir(folder, { recursive: true })
  const written: Exported[] = []
  for (const file of agents) {
    const path = join(folder, `${slugOfAgent(file.agent.name)}.md`)
    const text = renderClaudeAgent(file)
    const known = await readFile(path, 'utf8').catch((thrown: unknown) => {
      if (isMissing(thrown)) return undefined
      throw thrown
    })
    if (known !== undefined && known !== text && !known.includes(MARK)) {
      const reason = 'an agent file of another origin is there; move it, or rename your agent'
      throw new StewardError('path_refused', { path, reason })
    }
    if (known !== text) await writeFileAtomically(path, text, { mode: 0o644 })
    written.push({ agent: file.agent.name, path, changed: known !== text })
  }
  return written
}
