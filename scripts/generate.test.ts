import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API, ERROR_CODES, ERRORS, isJsonObject, type Route } from '@steward/contract'
import { build } from 'esbuild'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { listStale, renderDerivedFiles, writeStale } from './generate/derived-files.ts'
import { renderErrorsPage } from './generate/errors-page.ts'
import { renderJsonSchemas } from './generate/json-schemas.ts'
import { renderLimitsPage } from './generate/limits-page.ts'
import { renderTable } from './generate/render-table.ts'
import { renderRoutesPage } from './generate/routes-page.ts'

const generate = (...args: string[]) => {
  const script = join(import.meta.dirname, 'generate.ts')
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

const folders: string[] = []
const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'generate-'))
  folders.push(folder)
  return folder
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

// `npm run check`, which runs beside the tests, compares the committed files with the contract.
test('an empty folder gets all files, and a second run changes nothing', {
  timeout: 60_000,
}, async () => {
  const root = makeFolder()
  const files = await renderDerivedFiles()
  expect(listStale(files, root)).toEqual([...files.keys()])
  expect(writeStale(files, root)).toHaveLength(17)
  expect(readdirSync(join(root, 'schemas')).sort()).toEqual([
    'action.schema.json',
    'feeds.schema.json',
    'flow-index.schema.json',
    'pipeline.schema.json',
    'settings.schema.json',
  ])
  expect(writeStale(files, root)).toEqual([])
})

test('the command writes the files, and drift fails with the name of each that differs, and of no other', {
  timeout: 120_000,
}, () => {
  const root = makeFolder()
  const { status: written, stdout } = generate('--root', root)
  expect([written, stdout.trim().split('\n')]).toEqual([
    0,
    expect.arrayContaining(['wrote docs/reference/errors.md']),
  ])
  appendFileSync(join(root, 'docs/reference/errors.md'), 'by hand\n')
  rmSync(join(root, 'schemas/action.schema.json'))
  const { status, stderr } = generate('--check', '--root', root)
  expect(status).toBe(1)
  expect(stderr.trim().split('\n')).toEqual([
    'schemas/action.schema.json differs from the contract',
    'docs/reference/errors.md differs from the contract',
    'run `npm run generate` and commit the result',
  ])
  expect(readFileSync(join(root, 'docs/reference/errors.md'), 'utf8')).toContain('by hand')
})

/** Every property of a schema, by path, with its description. */
const propertiesOf = (schema: unknown, path = ''): [string, unknown][] => {
  if (Array.isArray(schema)) return schema.flatMap((each) => propertiesOf(each, path))
  if (!isJsonObject(schema)) return []
  const own = isJsonObject(schema.properties) ? Object.entries(schema.properties) : []
  return [
    ...own.map(([name, value]): [string, unknown] => [`${path}.${name}`, value]),
    ...own.flatMap(([name, value]) => propertiesOf(value, `${path}.${name}`)),
    ...['anyOf', 'oneOf', 'items', 'additionalProperties'].flatMap((key) =>
      propertiesOf(schema[key], path),
    ),
  ]
}

const schemas = [...renderJsonSchemas()].map(([path, text]) => {
  const schema: unknown = JSON.parse(text)
  if (!isJsonObject(schema)) throw new Error(`${path} is no schema`)
  return { path, schema }
})

test.each(schemas)('$path describes each field for editors', ({ path, schema }) => {
  expect(schema).toMatchObject({ $id: path.replace('schemas/', ''), title: expect.any(String) })
  const undescribed = propertiesOf(schema)
    .filter(([, property]) => !(isJsonObject(property) && typeof property.description === 'string'))
    .map(([name]) => name)
  expect(undescribed).toEqual([])
})

const accepts = (name: string, value: unknown): boolean => {
  const found = schemas.find(({ path }) => path === `schemas/${name}.schema.json`)
  if (found === undefined) throw new Error(`no schema ${name}`)
  return z.fromJSONSchema(found.schema).safeParse(value).success
}

test('the schemas accept valid files and reject typos', () => {
  const action = {
    name: 'A_COUNT_WORDS',
    description: 'x',
    input: {},
    output: { words: { type: 'integer' } },
  }
  expect(accepts('action', action)).toBe(true)
  expect(accepts('action', { ...action, requires: ['llmm'] })).toBe(false)
  expect(accepts('action', { ...action, name: 'countWords' })).toBe(false)
  const pipeline = { name: 'P_COUNT', description: 'x', actions: ['A_COUNT_WORDS'] }
  expect(accepts('pipeline', pipeline)).toBe(true)
  expect(accepts('pipeline', { ...pipeline, actions: [] })).toBe(false)
  const flow = {
    id: 'x',
    name: 'F_X_COUNT',
    source: { type: 'file', path: 'in' },
    pipeline: 'P_COUNT',
    destination: { type: 'database' },
    schedule: { intervalMinutes: 5, enabled: false },
  }
  expect(accepts('flow-index', { flows: [flow] })).toBe(true)
  expect(accepts('flow-index', { flows: [{ ...flow, source: { type: 'ftp' } }] })).toBe(false)
  expect(accepts('settings', {})).toBe(true)
  expect(accepts('settings', { execution: { budgets: { perDayUSD: 1 } } })).toBe(false)
})

test('the errors page has every code with the details its message takes', () => {
  const page = renderErrorsPage()
  for (const code of ERROR_CODES) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${code}\` |`))
    expect(row, code).toContain(String(ERRORS[code].status))
    expect(row, code).toContain(ERRORS[code].message.replaceAll('?}', '}'))
  }
})

test('the routes page has every route with its access and the reason', () => {
  const page = renderRoutesPage()
  for (const { method, path, access, why } of Object.values<Route>(API)) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${method}\` | \`${path}\` |`))
    expect(row, path).toContain(why)
    const needs = { public: '| nothing | nothing |', local: '| nothing | token', token: '| token' }
    expect(row, path).toContain(needs[access])
  }
})

test('the typed client brings no schemas to a browser', async () => {
  const { metafile } = await build({
    entryPoints: [join(import.meta.dirname, '../packages/contract/src/client/index.ts')],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
  })
  expect(Object.keys(metafile.inputs).filter((path) => path.includes('zod'))).toEqual([])
})

test('a limit without a comment is rejected by name', () => {
  expect(() => renderLimitsPage('')).toThrow('subrequestsPerRun has no comment')
})

test('a bar does not break a table', () => {
  expect(renderTable(['a'], [['x | y']])).toBe('| a |\n| --- |\n| x \\| y |\n')
})
