import { parseYaml } from '../files/assistant-yaml.ts'

/** Splits a Markdown file into frontmatter and body. Throws `assistant_unreadable`. */
export const splitFrontMatter = (text: string, file: string): { fields: unknown; body: string } => {
  const match = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n?---\r?(?:\n|$)/.exec(text)
  if (match === null) return { fields: {}, body: text.trim() }
  const fields: unknown = parseYaml(match[1] ?? '', file).toJS() ?? {}
  return { fields, body: text.slice(match[0].length).trim() }
}
