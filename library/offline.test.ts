import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createOfflineModel } from './lib/testing/offline-model.ts'
import { LIBRARY, readActions } from './lib/testing/read-library.ts'
import { runAction } from './lib/testing/run-action.ts'

const actions = await readActions()
const parts = { capabilities: { llm: createOfflineModel() } }
const root = join(LIBRARY, '..')

/** Ordinary texts: the read-me and every page of the documentation. */
const PAGES = [
  'README.md',
  ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'))

/** The actions of P_ARTICLE_DIGEST that ask a model. */
const ASKING = ['A_SUMMARIZE', 'A_LABEL_AND_RATE', 'A_REFINE_SUMMARY']

test.each(PAGES)('the offline model fills every schema of the library from %s', async (page) => {
  const content = readFileSync(join(root, page), 'utf8').slice(0, 3000)
  for (const name of ASKING) {
    const action = actions.get(name)
    if (action === undefined) throw new Error(`${name} is missing`)
    const output = runAction(action.manifest, action, { content }, parts)
    await expect(output, name).resolves.toBeTypeOf('object')
  }
})
