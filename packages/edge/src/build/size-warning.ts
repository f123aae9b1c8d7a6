/** The platform's limits of the compressed size (its public limits page): free plan, paid plan. */
const FREE_BYTES = 3 * 1000 * 1000
const PAID_BYTES = 10 * 1000 * 1000

/** The warning for a bundle that is too large for a plan. */
export const sizeWarning = (name: string, gzipBytes: number): string | undefined => {
  if (gzipBytes <= FREE_BYTES) return undefined
  const size = `${(gzipBytes / 1e6).toFixed(1)} MB compressed`
  return gzipBytes > PAID_BYTES
    ? `${name}: ${size}, above the platform's 10 MB: it cannot be deployed`
    : `${name}: ${size}, above the 3 MB of the free plan: it needs a paid one`
}
