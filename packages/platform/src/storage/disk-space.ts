import { statfsSync, statSync } from 'node:fs'
import type { Home } from '../home/home.ts'

/** How full one of the disks is that hold the data home. */
export interface DiskSpace {
  /** A folder on it. */
  path: string
  device: number
  freeBytes: number
  totalBytes: number
  /** Files that can still be made; undefined where the file system has no such limit. */
  freeFiles: number | undefined
}

/** Each disk once: folders of the home may be mounted apart. A folder that is gone is left out. */
export const readDiskSpace = (home: Pick<Home, 'root' | 'databases' | 'output'>): DiskSpace[] => {
  const disks = new Map<number, DiskSpace>()
  for (const path of [home.root, home.databases, home.output]) {
    const device = statSync(path, { throwIfNoEntry: false })?.dev
    if (device === undefined || disks.has(device)) continue
    const { bavail, bsize, blocks, files, ffree } = statfsSync(path)
    disks.set(device, {
      path,
      device,
      freeBytes: bavail * bsize,
      totalBytes: blocks * bsize,
      freeFiles: files > 0 ? ffree : undefined,
    })
  }
  return [...disks.values()]
}

/** Below this a write of ordinary size fails. */
const FULL_BYTES = 1_000_000
const FEW_FILES = 1000

/** Whether a disk is full or nearly so, in words; nothing when there is room. */
export const describeShortage = (
  { freeBytes, freeFiles }: DiskSpace,
  warnBelowBytes: number,
): { isFull: boolean; message: string } | undefined => {
  if (freeFiles !== undefined && freeFiles < FEW_FILES) {
    const message = `only ${freeFiles} more files fit on the disk of the data home (it runs out of inodes)`
    return { isFull: freeFiles === 0, message }
  }
  if (freeBytes >= warnBelowBytes) return undefined
  const message = `only ${formatMegabytes(freeBytes)} are free on the disk of the data home (warning below ${formatMegabytes(warnBelowBytes)})`
  return { isFull: freeBytes < FULL_BYTES, message }
}

const formatMegabytes = (bytes: number): string =>
  `${(bytes / 1_000_000).toLocaleString('en', { maximumFractionDigits: 1 })} MB`
