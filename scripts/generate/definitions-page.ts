import { actionManifestV2, feedList, flowIndex, pipelineDefinition } from '@steward/contract'
import { z } from 'zod'
import { renderTable } from './render-table.ts'
import { schemaRows } from './schema-rows.ts'

const HEAD = ['Field', 'Type', 'Default', 'Meaning']

const FILES = [
  ['action.json', 'actions.md', actionManifestV2],
  ['A pipeline', 'pipelines.md', pipelineDefinition],
  ['flow-index.json', 'flows.md', flowIndex],
  ['An entry of feeds.json', 'feeds.md', feedList.element],
] as const

const INPUT = { io: 'input', unrepresentable: 'any' } as const

/** `docs/reference/definitions.md`: the fields of the files in which people define things. */
export const renderDefinitionsPage = (): string => {
  const parts = FILES.map(([title, guide, shape]) => {
    const rows = schemaRows(z.toJSONSchema(shape, INPUT))
    return `## ${title}\n\nSee the [guide](../${guide}).\n\n${renderTable(HEAD, rows)}`
  })
  return `# Definitions

Generated from the schemas in \`packages/contract\` by \`npm run generate\`. Do not edit.

A name after a colon is a \`type\`: \`flows[].source:rss.url\` is the \`url\` of a source of type \`rss\`. \`[]\` stands for every element of
a list.

${parts.join('\n')}`
}
