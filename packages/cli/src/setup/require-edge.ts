import { StewardError } from '@steward/contract'
import { type EdgeParts, findEdgeParts } from '@steward/platform'
import { askConsent } from '../input/ask-consent.ts'
import type { Io } from '../io.ts'
import { createProgressBar } from '../output/progress-bar.ts'
import { findInstallation } from './installation.ts'

/** Where the parts of the edge are for the packed program; undefined in a clone, which has them. */
export const edgePartsOf = (
  { env, homedir }: Io,
  root: string = findInstallation().root,
): EdgeParts | undefined => findEdgeParts(root, env, homedir)

export const describeEdgeParts = ({ folder }: EdgeParts): string =>
  `esbuild, workerd and wrangler from the npm registry, about 190 MB, into ${folder}`

/** Offers to install the parts of the edge if they are missing; without a terminal, says how. */
export const requireEdge = async (io: Io): Promise<void> => {
  const parts = edgePartsOf(io)
  if (parts === undefined || parts.isInstalled) return
  const question = `Building, running and deploying workers needs tools that are fetched once:\n${describeEdgeParts(parts)}.\nFetch them now?`
  const canAsk = io.err.isTerminal && io.stdinKind() === 'nothing'
  if (!canAsk || !(await askConsent(io, question))) {
    throw new StewardError('command_missing', {
      command: 'what builds, runs and deploys workers',
      reason: `run steward edge install --yes to fetch ${describeEdgeParts(parts)}`,
    })
  }
  await installParts(io, parts)
}

/** Installs with a progress bar; ends with one line. */
export const installParts = async (io: Io, parts: EdgeParts): Promise<void> => {
  const { installEdgeParts } = await import('@steward/edge')
  const bar = createProgressBar(io.err, 'Fetching packages')
  try {
    const { env, signal } = io
    await installEdgeParts(parts, { env, signal, onProgress: bar.show })
  } finally {
    bar.clear()
  }
  io.err.write(`installed in ${parts.folder}\n`)
}
