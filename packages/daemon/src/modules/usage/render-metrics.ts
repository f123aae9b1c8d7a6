import type { ModelTotal } from '@steward/assistants'
import type { BudgetState, UsageWindow } from '@steward/contract'

type Labels = Readonly<Record<string, string>>

/** The text format of Prometheus. */
export const renderMetrics = (
  totals: readonly ModelTotal[],
  windows: readonly UsageWindow[],
  budgets: readonly BudgetState[],
): string => {
  const tokens = totals.flatMap(({ assistant, model, tokens }) =>
    Object.entries(tokens).map(([type, count]) =>
      line('tokens_total', { assistant, model, type }, count),
    ),
  )
  const cost = totals.flatMap(({ assistant, model, reportedUsd, computedUsd }) => [
    line('cost_usd_total', { assistant, model, provenance: 'reported' }, reportedUsd),
    line('cost_usd_total', { assistant, model, provenance: 'computed' }, computedUsd),
  ])
  return [
    ...head('tokens_total', 'counter', 'Tokens by type; input excludes the prompt cache.'),
    ...tokens,
    ...head('cost_usd_total', 'counter', 'Cost of calls with a known price, in US dollars.'),
    ...cost,
    ...head('calls_total', 'counter', 'Model calls.'),
    ...totals.map(({ assistant, model, calls }) =>
      line('calls_total', { assistant, model }, calls),
    ),
    ...head('unpriced_calls_total', 'counter', 'Model calls without a known price.'),
    ...totals.map(({ assistant, model, unpriced }) =>
      line('unpriced_calls_total', { assistant, model }, unpriced),
    ),
    ...head('window_used_ratio', 'gauge', 'Share of a window that is used.'),
    ...windows.flatMap(({ assistant, kind, basis, used_percent }) =>
      used_percent === null
        ? []
        : [line('window_used_ratio', { assistant, window: kind, basis }, used_percent / 100)],
    ),
    ...head('budget_spent_ratio', 'gauge', 'Share of a budget that is spent.'),
    ...budgets.map(({ name, session, spent_usd, usd }) =>
      line(
        'budget_spent_ratio',
        { budget: name, ...(session === undefined ? {} : { session }) },
        spent_usd / usd,
      ),
    ),
    '',
  ].join('\n')
}

const head = (name: string, type: string, help: string): string[] => [
  `# HELP steward_usage_${name} ${help}`,
  `# TYPE steward_usage_${name} ${type}`,
]

const line = (name: string, labels: Labels, value: number): string => {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`)
  return `steward_usage_${name}{${pairs.join(',')}} ${value}`
}

const escapeLabel = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
