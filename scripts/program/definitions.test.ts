import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findBundled } from '../../packages/runner/src/catalog/bundled-definitions.ts'
import { flowsSource, manifestsSource, pipelinesSource, sourceOf } from './definitions.ts'

const library = join(import.meta.dirname, '../../library')
const evaluate = (source: string | undefined) => new Function(`return (${source})`)()

describe('bundled definitions', () => {
  it('are recreated each time, and only for values that JSON can represent', () => {
    expect(evaluate(sourceOf({ a: ['"', null, 1] }))).toEqual({ a: ['"', null, 1] })
    expect(sourceOf(undefined)).toBeUndefined()
    expect(sourceOf({ a: undefined })).toBeUndefined()
    expect(sourceOf({ at: new Date(0) })).toBeUndefined()
  })

  it('contain every pipeline, flow and manifest of the library', () => {
    const pipelines = evaluate(pipelinesSource())
    expect(Object.keys(pipelines)).toContain('P_ARTICLE_DIGEST.yaml')
    expect(Object.keys(pipelines)).toContain('Reading_Summarize-Article/PIPELINE.md')
    expect(pipelines['P_ARTICLE_DIGEST.yaml'].read().definition.name).toBe('P_ARTICLE_DIGEST')
    const manifests = evaluate(manifestsSource(['A_SUMMARIZE']))
    expect(manifests['A_SUMMARIZE/action.json'].read()).toMatchObject({ name: 'A_SUMMARIZE' })
  })

  it('are used only for the text that they were read from', () => {
    const flows = evaluate(flowsSource())
    const text = readFileSync(join(library, 'flows/flow-index.json'), 'utf8')
    const names = JSON.parse(text).flows.map(({ name }: { name: string }) => name)
    const found: Array<{ name: string }> | undefined = findBundled(flows, 'flow-index.json', text)
    expect(found?.map(({ name }) => name)).toEqual(names)
    expect(findBundled(flows, 'flow-index.json', `${text} `)).toBeUndefined()
    expect(findBundled(flows, 'constructor', text)).toBeUndefined()
  })
})
