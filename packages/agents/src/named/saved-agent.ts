import { type ComposedAgent, type Result, type SavedAgent, savedAgent } from '@steward/contract'
import { parseFrontMatter, renderFrontMatter } from './front-matter.ts'

/**
 * A composed agent as a file; only its traits matter when it is loaded. `day` is like 2026-01-31.
 */
export const renderSavedAgent = (agent: ComposedAgent, name: string, day: string): string => {
  const fields: SavedAgent = {
    custom_agent: true,
    name,
    created: day,
    traits: agent.traits,
    timing: agent.timing,
    task: agent.task,
  }
  return renderFrontMatter(fields, agent.prompt)
}

export const parseSavedAgent = (text: string, file: string): Result<SavedAgent> => {
  const parsed = parseFrontMatter(text, savedAgent, file)
  return parsed.ok ? { ok: true, value: parsed.value.fields } : parsed
}
