import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { z } from 'zod'

const about = z.looseObject({
  name: z.string(),
  version: z.string(),
  license: z.string().default('see below'),
})

export interface BundledPackage {
  folder: string
  name: string
  version: string
  license: string
}

/** The third-party packages that ended up in the bundle, by folder. */
export const bundledPackages = (metafile: Metafile, root: string): Promise<BundledPackage[]> => {
  const folders = new Set(
    Object.keys(metafile.inputs).flatMap(
      (input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? [],
    ),
  )
  return Promise.all(
    [...folders].sort().map(async (path) => {
      const folder = join(root, path)
      const text = await readFile(join(folder, 'package.json'), 'utf8')
      const { name, version, license } = about.parse(JSON.parse(text))
      return { folder, name, version, license }
    }),
  )
}
