import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { trainWeights } from '../../packages/agents/src/routing/learning/train.ts'

const ROUTING = join(import.meta.dirname, '../../packages/agents/src/routing')

/** The weights of the classifier of requests, trained from the tables of sentences. */
export const renderRouteWeights = (): string => {
  const tables = ['testing/sentences.txt', 'learning/sentences.txt']
  const weights = trainWeights(...tables.map((path) => readFileSync(join(ROUTING, path), 'utf8')))
  return `// Trained by \`npm run generate\` from the sentences beside it. Do not edit.
export const WEIGHTS =
  '${weights}'
`
}
