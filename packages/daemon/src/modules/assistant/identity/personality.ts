import {
  DEFAULT_TRAITS,
  describeIssues,
  issuesOf,
  nearestHint,
  type Personality,
  personalityFile,
  StewardError,
} from '@steward/contract'
import { isMap } from 'yaml'
import type { AssistantFiles } from '../files/assistant-files.ts'
import { parseYaml, renderYaml, unreadable } from '../files/assistant-yaml.ts'

const PERSONALITY_FILE = 'personality.yaml'

const STARTING_TEXT = `# The identity of your assistant. Traits range from 0 to 100; missing ones have their default.
# autonomy.must_ask lists the kinds of task (notify, prompt, flow, script) that wait for your approval.
traits: {}
`

/** Traits missing in the file get their defaults. Throws `assistant_unreadable`. */
export const readPersonality = async (files: AssistantFiles): Promise<Personality> =>
  parsePersonality(await files.read(PERSONALITY_FILE))

const parsePersonality = (text = ''): Personality => {
  const content: unknown = parseYaml(text, PERSONALITY_FILE).toJS() ?? {}
  const parsed = personalityFile.safeParse(content)
  if (!parsed.success) throw unreadable(PERSONALITY_FILE, describeIssues(issuesOf(parsed.error)))
  return { ...parsed.data, traits: { ...DEFAULT_TRAITS, ...parsed.data.traits } }
}

/** Sets known traits (defaults and those in the file) and keeps comments. Returns their names. */
export const updateTraits = async (
  files: AssistantFiles,
  traits: Readonly<Record<string, number>>,
): Promise<string[]> => {
  const names = Object.keys(traits)
  await files.change(PERSONALITY_FILE, (text) => {
    const known = Object.keys(parsePersonality(text).traits)
    const unknown = names.find((name) => !known.includes(name))
    if (unknown !== undefined) {
      const hint = nearestHint(unknown, known) || `; there are ${known.join(', ')}`
      const reason = `there is no trait ${unknown}${hint}`
      throw new StewardError('invalid_input', { subject: 'the body', reason, field: unknown })
    }
    const document = parseYaml(text ?? STARTING_TEXT, PERSONALITY_FILE)
    if (!isMap(document.contents)) document.contents = document.createNode({})
    if (!isMap(document.get('traits'))) document.set('traits', document.createNode({}))
    const map = document.get('traits')
    if (isMap(map) && map.items.length === 0) map.flow = false
    for (const [name, value] of Object.entries(traits)) document.setIn(['traits', name], value)
    const after = renderYaml(document)
    parsePersonality(after)
    return after
  })
  return names
}
