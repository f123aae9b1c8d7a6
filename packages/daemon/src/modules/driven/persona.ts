import { composeAgent, parseNamedAgent, slugOfAgent } from '@steward/agents'
import { type DrivenStart, StewardError, unwrap } from '@steward/contract'
import { type Home, readTextFiles } from '@steward/platform'

/** The text that the assistant gets: the task, after the persona that the start asks for. */
export const withPersona = async (
  { prompt, agent, traits }: Pick<DrivenStart, 'prompt' | 'agent' | 'traits'>,
  home: Pick<Home, 'user'>,
): Promise<string> => {
  const composed =
    traits === undefined || traits.length === 0
      ? prompt
      : unwrap(composeAgent({ traits, task: prompt })).prompt
  if (agent === undefined) return composed
  return `${await readPersona(agent, home)}\n\n# Your task\n\n${composed}`
}

/** The body of `USER/AGENTS/<name>.md`, found by name or alias in any case. */
const readPersona = async (name: string, home: Pick<Home, 'user'>): Promise<string> => {
  const slug = slugOfAgent(name)
  for (const { path, text } of await readTextFiles(home.user.agents, '.md')) {
    const parsed = parseNamedAgent(text, path)
    if (!parsed.ok) continue
    const { agent, body } = parsed.value
    if ([agent.name, ...agent.aliases].some((each) => slugOfAgent(each) === slug)) {
      return body.trim()
    }
  }
  throw new StewardError('not_found', { what: 'agent', name })
}
