import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseSavedAgent, renderSavedAgent, slugOfAgent } from '@steward/agents'
import {
  type ComposedAgent,
  nearestHint,
  type SavedAgent,
  StewardError,
  unwrap,
} from '@steward/contract'
import { type Home, readIfPresent, readTextFiles, writeFileAtomically } from '@steward/platform'

const folderOf = (home: Home): string => join(home.user.agents, 'custom')

const pathOf = (home: Home, name: string): string => {
  const slug = slugOfAgent(name)
  if (slug === '') {
    throw new StewardError('invalid_name', { name, reason: 'it needs a letter or a digit' })
  }
  return join(folderOf(home), `${slug}.md`)
}

/** Saves a composed agent; an existing one with the same name is not overwritten. */
export const saveAgent = async (
  home: Home,
  agent: ComposedAgent,
  name: string,
  now: Date,
): Promise<string> => {
  const path = pathOf(home, name)
  const known = await readIfPresent(path)
  if (known !== undefined) {
    const saved = parseSavedAgent(known, path)
    const isSame = saved.ok && saved.value.traits.join() === agent.traits.join()
    if (!isSame) {
      const reason = `one with other traits already exists (${path}); choose another name or --delete it first`
      throw new StewardError('invalid_name', { name, reason })
    }
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFileAtomically(path, renderSavedAgent(agent, name, now.toISOString().slice(0, 10)))
  return path
}

export const loadAgent = async (home: Home, name: string): Promise<SavedAgent> => {
  const path = pathOf(home, name)
  const text = await readIfPresent(path)
  if (text === undefined) throw await notSaved(home, name)
  const saved = unwrap(parseSavedAgent(text, path))
  return saved
}

export const deleteAgent = async (home: Home, name: string): Promise<string> => {
  const path = pathOf(home, name)
  if ((await readIfPresent(path)) === undefined) throw await notSaved(home, name)
  await rm(path)
  return path
}

export const listSaved = async (
  home: Home,
): Promise<{ agents: SavedAgent[]; problems: string[] }> => {
  const agents: SavedAgent[] = []
  const problems: string[] = []
  for (const { path, text } of await readTextFiles(folderOf(home), '.md')) {
    const saved = parseSavedAgent(text, path)
    if (saved.ok) agents.push(saved.value)
    else problems.push(saved.error.message)
  }
  return { agents, problems }
}

const notSaved = async (home: Home, name: string): Promise<StewardError> => {
  const { agents } = await listSaved(home)
  const hint = nearestHint(
    name,
    agents.map((agent) => agent.name),
  )
  return new StewardError('not_found', { what: 'saved agent', name, hint })
}
