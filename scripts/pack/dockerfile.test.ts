import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { API, settings } from '@steward/contract'
import { expect, test } from 'vitest'
import { COMMANDS } from '../../packages/cli/src/commands/index.ts'
import { packageJsonOf } from './package-json.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const image = read('packaging/Dockerfile')
const about = packageJsonOf(JSON.parse(read('package.json')))

test('the image has the Node that the program needs', () => {
  const [, major] = /^FROM node:(\d+)-slim$/m.exec(image) ?? []
  expect(major).toBe(read('.node-version').split('.')[0])
})

test('the image installs the file that npm run pack makes, without a second Node', () => {
  expect(`${about.name}-${about.version}.tgz`).toMatch(/^steward-[\d.]+\.tgz$/)
  expect(image).toContain('COPY steward-*.tgz /tmp/steward.tgz')
  expect(image).toContain('rm -rf "$(npm root --global)"/steward/node_modules/node-linux-*')
  expect(about).not.toHaveProperty('dependencies')
})

test('the image runs the daemon as an ordinary user, and asks a route that exists', () => {
  const [, command = '[]'] = /^CMD (.*)$/m.exec(image) ?? []
  const [program, name] = JSON.parse(command)
  expect(Object.keys(about.bin)).toContain(program)
  expect(Object.keys(COMMANDS)).toContain(name)
  expect(image.indexOf('USER node')).toBeLessThan(image.indexOf('CMD ['))
  const { port } = settings.parse({}).observability.server
  expect(image).toContain(`EXPOSE ${port}\n`)
  expect(image).toContain(`http://127.0.0.1:${port}${API.getLiveness.path}`)
})
