/** The docs page of a version: Swagger UI under a strict policy, without inline scripts and styles, from this origin only. */
import type { Reply } from '#component/gateway/exchange.ts'
import { escaped } from '#component/gateway/html-page.ts'

/** What a docs page shows, and where. */
export interface DocsPlace {
  readonly title: string
  /** The path of the page, below base_path. */
  readonly docs: string
  /** The path of the description, below base_path. */
  readonly document: string
  /** Whether the page was asked for with a slash at the end. */
  readonly isBelow: boolean
}

/** Swagger UI sets styles by script only, and has its icons in its stylesheet. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** Links are relative, so that they hold behind a proxy that takes a prefix away. */
export function docsPage({ title, docs, document, isBelow }: DocsPlace): Reply {
  const up = isBelow ? '../' : './'
  const segments = docs.split('/').filter(Boolean)
  const files = `${up}${segments.at(-1)}/`
  const description = `${up}${'../'.repeat(segments.length - 1)}${document.slice(1)}.json`
  const html = [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    // without an icon, browsers ask for /favicon.ico
    '<link rel="icon" href="data:,">',
    `<link rel="stylesheet" href="${escaped(`${files}swagger-ui.css`)}"></head><body>`,
    `<div id="swagger-ui" data-url="${escaped(description)}"></div>`,
    `<script src="${escaped(`${files}swagger-ui-bundle.js`)}"></script>`,
    `<script src="${escaped(`${files}init.js`)}"></script>`,
    '</body></html>',
    '',
  ].join('\n')
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
    },
    body: { kind: 'bytes', bytes: html },
  }
}

/** The script that starts Swagger UI. No part of the description is sent to a validator. */
export const initScript = `'use strict'
const element = document.getElementById('swagger-ui')
SwaggerUIBundle({
  url: element.dataset.url,
  domNode: element,
  deepLinking: true,
  queryConfigEnabled: false,
  validatorUrl: null,
})
`
