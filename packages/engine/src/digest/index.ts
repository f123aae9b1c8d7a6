export { describeDigest } from './digest-window.ts'
export * from './work-digests.ts'
