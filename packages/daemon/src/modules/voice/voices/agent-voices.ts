import { parseNamedAgent, readTraitData } from '@steward/agents'
import type { Settings } from '@steward/contract'
import { type Home, readTextFiles } from '@steward/platform'

type Voices = NonNullable<Settings['daidentity']['voices']>

/**
 * Voices by name: those of the settings, then those of named agents, then the manner of composed
 * agents' voices. A named agent may refer to another voice by name.
 */
export const withAgentVoices = async (
  home: Pick<Home, 'user'>,
  daidentity: Settings['daidentity'],
  onProblem: (problem: string) => void,
): Promise<Settings['daidentity']> => {
  const known = new Map<string, Voices[string]>()
  for (const [name, { prosody }] of Object.entries(readTraitData().voices.voices)) {
    known.set(name.toLowerCase(), { ...prosody })
  }
  for (const [name, entry] of Object.entries(daidentity.voices ?? {})) {
    known.set(name.toLowerCase(), { ...known.get(name.toLowerCase()), ...entry })
  }
  for (const { path, text } of await readTextFiles(home.user.agents, '.md')) {
    const parsed = parseNamedAgent(text, path)
    if (!parsed.ok) {
      onProblem(parsed.error.message)
      continue
    }
    const { name, aliases, voiceId, voice } = parsed.value.agent
    const other = voiceId === undefined ? undefined : known.get(voiceId.toLowerCase())
    const own = other ?? (voiceId === undefined ? {} : { voiceId })
    for (const each of [name, ...aliases]) {
      const set = known.get(each.toLowerCase())
      known.set(each.toLowerCase(), { ...own, ...voice, ...set })
    }
  }
  return { ...daidentity, voices: Object.fromEntries(known) }
}
