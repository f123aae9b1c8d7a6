import { type NamedAgent, namedAgent, type Result } from '@steward/contract'
import type { RosterEntry } from '../routing/context.ts'
import { parseFrontMatter, renderFrontMatter } from './front-matter.ts'

/** A named agent with its persona. */
export interface NamedAgentFile {
  agent: NamedAgent
  /** The persona: backstory and working style, as a prompt. */
  body: string
}

export const parseNamedAgent = (text: string, file: string): Result<NamedAgentFile> => {
  const parsed = parseFrontMatter(text, namedAgent, file)
  if (!parsed.ok) return parsed
  return { ok: true, value: { agent: parsed.value.fields, body: parsed.value.body } }
}

export const renderNamedAgent = ({ agent, body }: NamedAgentFile): string =>
  renderFrontMatter(agent, body)

/** The file name of an agent, without `.md`. */
export const slugOfAgent = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')

/** The fields that routing needs. */
export const rosterEntryOf = ({ name, aliases, role, type, model }: NamedAgent): RosterEntry => ({
  name,
  aliases,
  tier: model,
  ...(role === undefined ? {} : { role }),
  ...(type === undefined ? {} : { type }),
})
