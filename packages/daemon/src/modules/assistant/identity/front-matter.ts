import { splitFrontMatter } from '@steward/contract'
import { parseYaml } from '../files/assistant-yaml.ts'

/** A Markdown file's frontmatter and what stands below it. Throws `assistant_unreadable`. */
export const parseFrontMatter = (text: string, file: string): { fields: unknown; body: string } => {
  const { head, bodyStart } = splitFrontMatter(text)
  const fields: unknown = head === undefined ? {} : (parseYaml(head.text, file).toJS() ?? {})
  return { fields, body: text.slice(bodyStart).trim() }
}
