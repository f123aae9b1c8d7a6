import type { Uploadable } from '@anthropic-ai/sdk'

/** The files of a skill's folder as a client uploads them. */
export const skillFiles = (
  name: string,
  description: string,
  others: Readonly<Record<string, string>> = {},
): Uploadable[] =>
  Object.entries({
    'SKILL.md': `---\nname: ${name}\ndescription: ${description}\n---\n# ${name}\n`,
    ...others,
  }).map(([path, text]) => new File([text], `${name}/${path}`))
