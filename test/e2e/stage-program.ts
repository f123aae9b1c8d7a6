import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { stagePackage } from '../../scripts/pack/stage-package.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The launcher of the published program: bundled, so that it starts in half the time. */
    packedLauncher: string
  }
}

/** Lays out the program of this tree as its package will be, once for all end-to-end tests. */
export default async ({ vitest }: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const project = vitest.getRootProject()
  if ('packedLauncher' in project.getProvidedContext()) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'steward-packed-'))
  const stage = join(folder, 'package')
  await stagePackage(stage)
  project.provide('packedLauncher', join(stage, 'bin/steward.mjs'))
  return () => rm(folder, { recursive: true, force: true })
}
