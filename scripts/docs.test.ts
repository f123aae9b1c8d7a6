import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  actionManifestV2,
  describeIssues,
  flowIndex,
  isFields,
  issuesOf,
  loopGate,
  settings,
} from '@steward/contract'
import { parsePipelineMarkdown, parsePipelineYaml } from '@steward/engine'
import { expect, test } from 'vitest'

const docs = join(import.meta.dirname, '..', 'docs')
const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => ({ file, text: readFileSync(join(docs, file), 'utf8') }))

const blocksOf = (language: string) =>
  pages.flatMap(({ file, text }) =>
    [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, body]) => ({
      file,
      body: body ?? '',
    })),
  )

test.each(pages)('$file links to what is there', ({ file, text }) => {
  const prose = text.replaceAll(/^```.*?^```$/gms, '')
  const broken = [...prose.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)]
    .map(([, target]) => target ?? '')
    .filter((target) => !/^https?:/.test(target))
    .filter((target) => !existsSync(join(docs, dirname(file), target)))
  expect(broken).toEqual([])
})

/** The shape that an example is of, by the field that only it has. */
const SHAPES = {
  flows: flowIndex,
  requires: actionManifestV2,
  execution: settings,
  maxIterations: loopGate,
}

test.each(blocksOf('json'))('an example in $file is what it says', ({ body }) => {
  const example: unknown = JSON.parse(body)
  if (!isFields(example)) throw new Error('an example is a JSON object')
  for (const [field, shape] of Object.entries(SHAPES)) {
    if (!(field in example)) continue
    const parsed = shape.safeParse(example)
    expect(parsed.success ? '' : describeIssues(issuesOf(parsed.error))).toBe('')
  }
})

const pipelines = blocksOf('yaml').filter(({ body }) => /^actions:/m.test(body))
test.each(pipelines)('a pipeline in $file is one', ({ file, body }) => {
  const parsed = parsePipelineYaml(body, file)
  expect(parsed.ok ? parsed.value.warnings : parsed.error.message).toEqual([])
})

const documents = blocksOf('markdown').filter(({ body }) => /^# P_/m.test(body))
test.each(documents)('a PIPELINE.md in $file is one', ({ file, body }) => {
  const parsed = parsePipelineMarkdown(body, file, 'Reading_Rate-Article')
  expect(parsed.ok ? parsed.value.definition.name : parsed.error.message).toBe('P_RATE_ARTICLE')
})
