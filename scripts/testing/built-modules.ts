import { join } from 'node:path'
import type { Plugin } from 'vitest/config'
import { findBuild } from '../../packages/cli/bin/clone-build.mjs'
import { ACTION_TABLE, ENDING_BESIDE, MODULES_BESIDE } from '../program/bundle-actions.ts'
import { hashActions } from '../program/hash-actions.ts'
import { EVERY_COMMAND } from './build-program.ts'

const root = join(import.meta.dirname, '../..')

/**
 * Lets tests start the compiled programs and actions of hosts and reader threads, as users do. From
 * source, each process would first load the compiler that removes the types, which takes longer than
 * most tests.
 */
export const useBuiltModules = (): Plugin => ({
  name: 'use-built-modules',
  load: nameBuiltModule,
})

/** The text of a module that names compiled files; undefined for any other module. */
export const nameBuiltModule = (path: string): string | undefined => {
  if (path === join(root, ACTION_TABLE))
    return `export const BUNDLED_ACTIONS = ${describeActions()}`
  const module = MODULES_BESIDE.find(({ namedIn }) => path === join(root, namedIn))
  if (module === undefined) return undefined
  const file = join(currentBuild(), module.out + ENDING_BESIDE)
  return `export const ${module.constant} = ${JSON.stringify(file)}`
}

const describeActions = (): string => {
  const hashes = Object.entries(hashActions(join(root, 'library/actions')))
  const fileOf = (name: string) => join(currentBuild(), 'library/actions', name, 'action.js')
  return JSON.stringify(
    Object.fromEntries(hashes.map(([name, hash]) => [name, { hash, file: fileOf(name) }])),
  )
}

const currentBuild = (): string => {
  const build = findBuild(root, EVERY_COMMAND)
  if (build === undefined) throw new Error('this clone could not be compiled')
  return build
}
