import type { CatalogField } from '@steward/contract'
import type { DescribedPrimitive } from '@steward/runner'
import { cleanText } from '../../output/clean-text.ts'
import type { Paint } from '../../output/paint.ts'
import { formatTable } from '../../output/table.ts'

/** One action, pipeline or flow for people. */
export const renderPrimitive = (described: DescribedPrimitive, paint: Paint): string => {
  const { name, description, origin, overrides, path, requires = [], actions = [] } = described
  const { warnings = [] } = described
  const { flow, input, output } = described
  const facts = [
    [paint.dim('where'), `${path} (${origin}${overrides ? ', overriding' : ''})`],
    ...(requires.length > 0 ? [[paint.dim('needs'), requires.join(', ')]] : []),
    ...(actions.length > 0 ? [[paint.dim('actions'), actions.join(' > ')]] : []),
    ...(flow === undefined ? [] : flowFacts(flow, paint)),
    ...warnings.map((warning) => [paint.yellow('note'), cleanText(warning)]),
  ]
  return [
    `${paint.bold(name)}  ${cleanText(description ?? '')}\n`,
    formatTable(facts),
    ...(input === undefined ? [] : [renderFields('Input', input, paint)]),
    ...(output === undefined ? [] : [renderFields('Output', output, paint)]),
  ].join('\n')
}

const renderFields = (title: string, fields: readonly CatalogField[], paint: Paint): string => {
  const rows = fields.map(({ name, type, required, description }) => [
    `  ${name}`,
    type,
    required ? 'required' : '',
    cleanText(description ?? ''),
  ])
  return `${paint.bold(title)}\n${rows.length === 0 ? '  none\n' : formatTable(rows)}`
}

const flowFacts = (flow: NonNullable<DescribedPrimitive['flow']>, paint: Paint): string[][] => {
  const { intervalMinutes, enabled } = flow.schedule
  return [
    [paint.dim('id'), flow.id],
    [paint.dim('source'), JSON.stringify(flow.source)],
    [paint.dim('pipeline'), flow.pipeline ?? 'none: its items go to a queue'],
    [paint.dim('goes to'), JSON.stringify(flow.destination)],
    [paint.dim('every'), `${intervalMinutes} minutes${enabled ? '' : ' (disabled)'}`],
    ...(flow.loop === undefined ? [] : [[paint.dim('loop'), JSON.stringify(flow.loop)]]),
  ]
}
