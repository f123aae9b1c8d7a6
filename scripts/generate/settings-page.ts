import { settings } from '@steward/contract'
import { z } from 'zod'
import { renderTable } from './render-table.ts'
import { type SchemaRow, schemaRows } from './schema-rows.ts'

const sectionOf = ([path]: SchemaRow): string => /^`(\w+)/.exec(path)?.[1] ?? ''
const isSection = ([path]: SchemaRow): boolean => /^`\w+`$/.test(path)

/** `docs/reference/settings.md`: every key of settings.json. */
export const renderSettingsPage = (): string => {
  const shape = z.toJSONSchema(settings, { io: 'input', unrepresentable: 'any' })
  const rows = schemaRows(shape)
  const parts = rows.filter(isSection).map((section) => {
    const name = sectionOf(section)
    const keys = rows.filter((row) => sectionOf(row) === name && !isSection(row))
    return `## ${name}\n\n${section[3]}\n\n${renderTable(['Key', 'Type', 'Default', 'Meaning'], keys)}`
  })
  return `# Settings

Generated from \`packages/contract/src/settings.ts\` by \`npm run generate\`. Do not edit.

Settings are in \`settings.json\` of the data home (\`~/.steward\`). Nothing has to be set. A running daemon applies changes at once, except
the port and the address that it listens on. Keys and passwords do not belong there: put them into \`.env\`.

${parts.join('\n')}`
}
