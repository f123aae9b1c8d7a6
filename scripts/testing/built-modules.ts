import { join } from 'node:path'
import type { Plugin } from 'vitest/config'
import { findBuild } from '../../packages/cli/bin/clone-build.mjs'
import { ENDING_BESIDE, MODULES_BESIDE } from '../program/bundle-actions.ts'
import { EVERY_COMMAND } from './build-program.ts'

const root = join(import.meta.dirname, '../..')

/**
 * Lets tests start the compiled programs of action hosts and reader threads, as users do. From source,
 * each process would first load the compiler that removes the types, which takes twice as long as the
 * start itself.
 */
export const useBuiltModules = (): Plugin => ({
  name: 'use-built-modules',
  load: (id) => {
    const module = MODULES_BESIDE.find(({ namedIn }) => id === join(root, namedIn))
    if (module === undefined) return undefined
    const build = findBuild(root, EVERY_COMMAND)
    if (build === undefined) throw new Error('this clone could not be compiled')
    const file = join(build, module.out + ENDING_BESIDE)
    return `export const ${module.constant} = ${JSON.stringify(file)}`
  },
})
