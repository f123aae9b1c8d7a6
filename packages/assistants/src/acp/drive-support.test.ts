import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ASSISTANTS } from '../assistants.ts'

const PAGE = join(import.meta.dirname, '../../../../docs/assistants-as-workers.md')

it('supports what the table in docs/assistants-as-workers.md says', async () => {
  const specs = await Promise.all(
    Object.values(ASSISTANTS).map(async ({ name, loadDrive }) => ({
      name,
      spec: await loadDrive?.(),
    })),
  )
  const rows = specs.flatMap(({ name, spec }) => {
    if (spec === undefined) return []
    const cells = [
      `\`${name}\``,
      ...['yes', 'yes', 'yes'],
      spec.reportsPlan ? 'yes' : 'no',
      ...['yes', 'yes'],
      spec.modes.map((mode) => `\`${mode}\``).join(', '),
      spec.reportsCost ? 'tokens, cost, budget' : 'tokens',
    ]
    return [`| ${cells.join(' | ')} |`]
  })
  const documented = readFileSync(PAGE, 'utf8')
    .split('\n')
    .filter((line) => /^\| `\w+` \| yes \|/.test(line))
  expect(rows).toHaveLength(4)
  expect(documented.toSorted()).toEqual(rows.toSorted())
})
