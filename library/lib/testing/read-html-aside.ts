import { type ReadArticle, readHtml } from '../../actions/A_EXTRACT_ARTICLE/read-html.ts'

/** For a thread that a test can end. */
export const read = (html: string): Promise<ReadArticle> => readHtml(html, 'https://a.test/')
