/** The link to the Grafana dashboard, which the configuration names. */
import { html } from '../preact.js'

/**
 * The dashboard with one choice more, by its variable: those that the URL has stay.
 * @param {string} url @param {string | undefined} api the id of an API
 */
function addressOf(url, api) {
  const address = new URL(url)
  if (api !== undefined) address.searchParams.set('var-api', api)
  return address.href
}

/** @param {{ url: string, api?: string }} props `api`: shown alone */
export const Dashboard = ({ url, api }) => html`
  <a href=${addressOf(url, api)} target="_blank" rel="noreferrer">Grafana dashboard</a>`
